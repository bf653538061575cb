import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spawnGuarded } from './child.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-child-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['bash', ['/bin/bash', '-p']],
  ['sh', ['/bin/sh']],
])('a program that %s guards', (_, shell) => {
  const started = (program: readonly [string, ...string[]], env: NodeJS.ProcessEnv = process.env) => {
    const child = spawnGuarded(program, { cwd: folder, env }, shell)
    if (!child.stdout || !child.stderr) throw new Error('no output')
    return { child, ended: once(child, 'exit'), stdout: text(child.stdout), stderr: text(child.stderr) }
  }
  const inShell = (line: string, ...args: string[]) => started(['/bin/sh', '-c', line, 'sh', ...args])
  // The guard outlives its program: as the client does, kill the group.
  const finished = async ({ child, ended }: ReturnType<typeof started>) => {
    const end = await ended
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    return end
  }

  test('gets its arguments as they are', async () => {
    const words = ['$HOME', '"', "'", '*', 'a\nb', '', '; exit 9', '-x', '`id`']
    const run = inShell('printf "<%s>" "$@"', ...words)
    expect(await finished(run)).toEqual([0, null])
    expect(await run.stdout).toBe(words.map((word) => `<${word}>`).join(''))
  })

  test('ends with its own exit code or signal', async () => {
    expect(await finished(inShell('exit 7'))).toEqual([7, null])
    expect(await finished(inShell('kill -KILL $$'))).toEqual([null, 'SIGKILL'])
    expect(await finished(inShell('kill -TERM $$'))).toEqual([null, 'SIGTERM'])
  })

  test('has no input, no end of the pipe and no child of the guard', async () => {
    const run = inShell('cat; readlink /proc/$$/fd/3; cat /proc/$$/task/$$/children')
    await finished(run)
    expect(await run.stdout).toMatch(/^\d+ $/) // the last `cat`
  })

  test('gets its signals: the guard ignores none in its place', async () => {
    const run = inShell('grep SigIgn /proc/self/status')
    await finished(run)
    const [, ignored = ''] = (await run.stdout).split('\t')
    for (const signal of [1, 2, 3, 10, 12, 15])
      expect(BigInt(`0x${ignored.trim()}`) & (1n << BigInt(signal - 1))).toBe(0n)
  })

  test('is a script without #!, which /bin/sh runs', async () => {
    const script = join(folder, 'script')
    writeFileSync(script, 'readlink /proc/$$/exe\n')
    chmodSync(script, 0o755)
    const run = started([script])
    const plain = inShell('readlink /proc/$$/exe')
    expect(await finished(run)).toEqual([0, null])
    await finished(plain)
    expect(await run.stdout).toBe(await plain.stdout)
  })

  test('is not ended by TMOUT, which makes `read` of bash time out', async () => {
    const run = started(['/bin/sh', '-c', 'sleep 1.5; echo "$TMOUT"'], { ...process.env, TMOUT: '1' })
    expect(await finished(run)).toEqual([0, null])
    expect(await run.stdout).toBe('1\n')
  })

  test('ends with all its group when our end of the pipe closes', async () => {
    const run = inShell('trap "" TERM; sleep 60 & echo; wait')
    await once(run.child.stdout ?? run.child, 'readable')
    run.child.stdio[3]?.destroy()
    expect(await run.ended).toEqual([null, 'SIGKILL'])
    expect(await run.stdout).toBe('\n') // end of file: no process of the group has it open
  })
})

test('bash passes on every variable, whatever its name', async () => {
  const env = { PATH: process.env['PATH'], 'a.b': '1', 'n//x:_t': '2', 'BASH_FUNC_f%%': '() { echo; }' }
  const child = spawnGuarded(['/usr/bin/env'], { cwd: folder, env }, ['/bin/bash', '-p'])
  if (!child.stdout) throw new Error('no output')
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')])
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  expect(stdout.trim().split('\n')).toEqual(
    expect.arrayContaining(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
  )
})
