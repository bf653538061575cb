import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../plumbing/test/until.ts'

const ROOT = join(import.meta.dirname, '..')

type Process = { pid: number; parent: number; line: string }

function processes(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      // The state: one that has ended stays in the list until its parent asks for its exit code.
      return stat?.[0] === 'Z' ? [] : [{ pid: Number(pid), parent: Number(stat?.[1]), line }]
    } catch {
      return [] // it has just ended
    }
  })
}

function startedBy({ pid }: ChildProcess): Process[] {
  const all = processes()
  const family = new Set([pid])
  // A child is listed after its parent, unless process ids have started again from the lowest.
  for (const each of [...all, ...all]) if (family.has(each.parent)) family.add(each.pid)
  return all.filter((each) => each.pid !== pid && family.has(each.pid))
}

/** A test run that has started its servers. */
async function startedRun() {
  // Ctrl-C reaches every program of a terminal's group, so the run has a group of its own.
  const run = spawn('npm', ['test', '--', 'e2e/watch.test', 'api/test/nodes.test'], {
    cwd: ROOT,
    stdio: 'ignore',
    detached: true,
  })
  const family = await until('the servers of the run', () => {
    const started = startedBy(run)
    const has = (program: string) => started.some(({ line }) => line.includes(program))
    return ['keyferry-server.js', 'redis-server', 'postgres:'].every(has) && started
  })
  const folder = /\S+keyferry-tests-\w+/.exec(family.map(({ line }) => line).join(' '))?.[0] ?? ''
  return { run, family, folder }
}

test.each([
  ['Ctrl-C', ({ pid }: ChildProcess) => process.kill(-(pid ?? 0), 'SIGINT')],
  ['SIGTERM', (run: ChildProcess) => run.kill('SIGTERM')],
  ['SIGKILL', (run: ChildProcess) => run.kill('SIGKILL')],
])('a run that %s stops leaves no process behind', async (_, stop) => {
  const { run, family, folder } = await startedRun()
  expect(existsSync(folder)).toBe(true)
  stop(run)
  const alive = () => {
    const pids = new Set(processes().map(({ pid }) => pid))
    return family.filter(({ pid }) => pids.has(pid))
  }
  await expect.poll(() => alive().map(({ line }) => line)).toEqual([])
  await expect.poll(() => existsSync(folder)).toBe(false)
})
