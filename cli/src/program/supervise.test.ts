import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProgramStart } from '../base/parts.ts'
import { forwardTo } from './child.ts'
import { supervise } from './supervise.ts'

const OPTIONS = { platform: process.platform, beforeHandover: () => undefined, graceMs: 300 }
let folder: string
let log: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-supervise-'))
  log = join(folder, 'log')
})
afterEach(() => rmSync(folder, { recursive: true }))

function shell(script: string, env: Record<string, string> = {}): ProgramStart {
  return {
    argv: ['sh', '-c', script],
    searchPath: process.env['PATH'] ?? null,
    env: { PATH: process.env['PATH'] ?? '', LOG: log, ...env },
    filters: { stdout: null, stderr: null },
  }
}

const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
const SERVICE =
  'echo "start $A" >>"$LOG"; trap "echo end >>\\"$LOG\\"; exit 0" TERM; while :; do sleep 0.02; done'

test('the program gets every signal from its start on', async () => {
  const listening: number[] = []
  const options = { ...OPTIONS, beforeHandover: () => void listening.push(process.listenerCount('SIGTERM')) }
  const before = process.listenerCount('SIGTERM')
  expect(await supervise(shell('exit 0'), options).ended).toBe(0)
  expect(await forwardTo(shell('exit 0'), options)).toBe(0)
  expect(listening).toEqual([before + 1, before + 1])
})

test('a restart ends the program, and starts it with the new environment', async () => {
  const program = supervise(shell(SERVICE, { A: '1' }), OPTIONS)
  await expect.poll(lines).toEqual(['start 1'])
  expect(await program.restart(shell(SERVICE, { A: '2' }), 'SIGTERM')).toBe('restarted')
  await expect.poll(lines).toEqual(['start 1', 'end', 'start 2'])
  expect(await program.restart(shell('exit 7'), 'SIGTERM')).toBe('restarted')
  expect(await program.ended).toBe(7)
})

test('a program that ignores the signal is killed after the grace, with the children that it started', async () => {
  const child = 'trap "" TERM; while :; do echo alive >>"$LOG"; sleep 0.02; done'
  const program = supervise(shell(`trap "" TERM; sh -c '${child}' & while :; do sleep 0.02; done`), OPTIONS)
  await expect.poll(lines).toContain('alive')
  expect(await program.restart(shell('sleep 0.1; exit 3'), 'SIGTERM')).toBe('killed')
  const count = lines().length
  expect(await program.ended).toBe(3)
  expect(lines()).toHaveLength(count)
})

test('an environment that is too large for the system leaves the program running', async () => {
  const program = supervise(shell(SERVICE, { A: '1' }), OPTIONS)
  await expect.poll(lines).toEqual(['start 1'])
  const large = shell(SERVICE, { A: 'x'.repeat(200 * 1024) })
  await expect(program.restart(large, 'SIGTERM')).rejects.toThrow('too large for an environment variable')
  expect(await program.restart(shell('exit 0'), 'SIGTERM')).toBe('restarted')
  expect(lines()).toEqual(['start 1', 'end'])
})

test('a program that is gone at its restart ends the client with 127', async () => {
  const program = supervise(shell(SERVICE), OPTIONS)
  await expect.poll(lines).toHaveLength(1)
  const ended = expect(program.ended).rejects.toMatchObject({ exitCode: 127 })
  await program.restart({ ...shell(''), argv: [join(folder, 'gone')] }, 'SIGTERM')
  await ended
})
