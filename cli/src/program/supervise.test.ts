import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProgramStart } from '../base/parts.ts'
import { forwardTo } from './child.ts'
import { supervise } from './supervise.ts'

const OPTIONS = {
  platform: process.platform,
  beforeHandover: () => undefined,
  inherited: [],
  graceMs: 1_000,
}
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
  expect(await program.restart(shell(SERVICE, { A: '2' }))).toBe('restarted')
  await expect.poll(lines).toEqual(['start 1', 'end', 'start 2'])
  expect(await program.restart(shell('exit 7'))).toBe('restarted')
  expect(await program.ended).toBe(7)
})

test('a program that ignores the signal is killed after the grace, with the children that it started', async () => {
  const child = 'trap "" TERM; while :; do echo alive >>"$LOG"; sleep 0.02; done'
  const program = supervise(shell(`trap "" TERM; sh -c '${child}' & while :; do sleep 0.02; done`), OPTIONS)
  await expect.poll(lines).toContain('alive')
  expect(await program.restart(shell('sleep 0.1; exit 3'))).toBe('killed')
  const count = lines().length
  expect(await program.ended).toBe(3)
  expect(lines()).toHaveLength(count)
})

test('an environment that is too large for the system leaves the program running', async () => {
  const program = supervise(shell(SERVICE, { A: '1' }), OPTIONS)
  await expect.poll(lines).toEqual(['start 1'])
  const large = shell(SERVICE, { A: 'x'.repeat(200 * 1024) })
  await expect(program.restart(large)).rejects.toThrow('too large for an environment variable')
  expect(await program.restart(shell('exit 0'))).toBe('restarted')
  expect(lines()).toEqual(['start 1', 'end'])
})

test.each([
  ['was deleted', 127, () => [join(folder, 'gone')]],
  ['lost its interpreter', 127, () => [fileOf('#!/no/such/interpreter\n')]],
])('a program that %s is not started again, until it can be', async (_what, exitCode, argv) => {
  const program = supervise(shell(SERVICE), OPTIONS)
  await expect.poll(lines).toHaveLength(1)
  await expect(program.restart({ ...shell(''), argv: argv() })).rejects.toMatchObject({ exitCode })
  expect(lines()).toEqual(['start ', 'end'])
  expect(await program.restart(shell('exit 7'))).toBe('restarted')
  expect(await program.ended).toBe(7)
})

function fileOf(text: string): string {
  const path = join(folder, 'script')
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

test('a restart waits for all that the program started, also if the program itself ended earlier', async () => {
  const server = `trap 'sleep 0.3; echo closed >>"$LOG"; exit' TERM; echo serving >>"$LOG"; while :; do sleep 0.02; done`
  for (const starter of [`sh -c '${server.replaceAll("'", `'\\''`)}'; :`, `(${server}) & exec sleep 60`]) {
    rmSync(log, { force: true })
    const program = supervise(shell(starter), OPTIONS)
    await expect.poll(lines).toEqual(['serving'])
    expect(await program.restart(shell('echo next >>"$LOG"'))).not.toBe('over')
    expect(await program.ended).toBe(0)
    expect(lines()).toEqual(['serving', 'closed', 'next'])
  }
})

test('the client ends with the program, though others have its output open; of that nothing is lost', async () => {
  const chunks: Buffer[] = []
  const slow = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      setTimeout(done, 20)
    },
  })
  const script = 'sleep 600 & echo $! >>"$LOG"; yes line | head -c 300000; echo last'
  const start: ProgramStart = { ...shell(script), filters: { stdout: slow, stderr: null } }
  expect(await forwardTo(start, OPTIONS)).toBe(0)
  expect(() => process.kill(Number(lines()[0]))).not.toThrow()
  expect(Buffer.concat(chunks).length).toBe(300_005)
})

/** Give a signal to the client alone, as `kill` does. */
function signalled(signal: NodeJS.Signals): void {
  const [listener] = process.listeners(signal).slice(-1)
  listener?.(signal)
}

/** Ends once the test lets it. */
const SLOW_END = [
  'stop() { echo stopping >>"$LOG"; while [ ! -e "$LOG.go" ]; do sleep 0.02; done; exit 0; }',
  'trap stop TERM; echo "start $A" >>"$LOG"; while :; do sleep 0.02; done',
].join('\n')
const SLOW = { ...OPTIONS, graceMs: 60_000 }

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
  '%s during a restart ends the client, and the program is not started again',
  async (signal) => {
    const program = supervise(shell(SLOW_END, { A: '1' }), SLOW)
    await expect.poll(lines).toEqual(['start 1'])
    const restarting = program.restart(shell(SLOW_END, { A: '2' }))
    await expect.poll(lines).toEqual(['start 1', 'stopping'])
    signalled(signal)
    writeFileSync(`${log}.go`, '')
    expect(await restarting).toBe('over')
    expect(await program.ended).toEqual(expect.any(Number))
    expect(lines()).not.toContain('start 2')
  },
)

test.each(['SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'] as const)(
  '%s during a restart does not end it',
  async (signal) => {
    const ignoring = `trap "" USR1 USR2; ${SLOW_END}`
    const program = supervise(shell(ignoring, { A: '1' }), SLOW)
    await expect.poll(lines).toEqual(['start 1'])
    const restarting = program.restart(shell('exit 7'))
    await expect.poll(lines).toEqual(['start 1', 'stopping'])
    signalled(signal)
    writeFileSync(`${log}.go`, '')
    expect(await restarting).toBe('restarted')
    expect(await program.ended).toBe(7)
  },
)

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
] as const)('%s ends the client where the program could not be started again', async (signal, exitCode) => {
  const program = supervise(shell(SERVICE), OPTIONS)
  await expect.poll(lines).toHaveLength(1)
  const gone = { ...shell(''), argv: [join(folder, 'gone')] }
  await expect(program.restart(gone)).rejects.toMatchObject({ exitCode: 127 })
  signalled('SIGUSR1')
  signalled(signal)
  expect(await program.ended).toBe(exitCode)
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
  ['SIGUSR1', 138],
] as const)(
  '%s reaches the running program, whose end is the end of the client',
  async (signal, exitCode) => {
    const program = supervise(shell('echo start >>"$LOG"; exec sleep 60'), OPTIONS)
    await expect.poll(lines).toEqual(['start'])
    signalled(signal)
    expect(await program.ended).toBe(exitCode)
  },
)
