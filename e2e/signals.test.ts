import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal } from './terminal.ts'

// Notes each signal, and then that it is ready for the next. It ends at SIGTERM. Two that arrive together would be one
// for a shell.
const PROGRAM = `
  const { appendFileSync } = require('node:fs')
  const note = (text) => appendFileSync(process.env.LOG, text + '\\n')
  const signals = ['SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGTERM']
  for (const signal of signals) process.on(signal, () => {
    note(signal)
    if (signal === 'SIGTERM') setTimeout(() => process.exit(9), 100)
  })
  setInterval(() => undefined, 60_000)
  note('client ' + (process.env.IS_CLIENT ? process.pid : process.ppid))`

const MODES = {
  'a plain run': { flags: [], isClient: '1' },
  '--redact': { flags: ['--redact'], isClient: '' },
  '--file': { flags: ['--file', 'A=a.txt'], isClient: '' },
  '--watch': { flags: ['--watch'], isClient: '' },
}
const INPUTS = { 'the terminal': '', 'a pipe': 'sleep 60 |', '/dev/null': '</dev/null' }
const BY_KILL = ['SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const
const KEYS = { SIGINT: '\x03', SIGQUIT: '\x1c' }

let server: RunningServer
let token: string
let folder: string

beforeAll(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'keyferry-signals-'))
  await call('POST', '/imports', { bundle: 'prod/app', entries: [{ name: 'A', value: 'a value' }] })
  const [bundle] = await call('GET', '/bundles')
  const { id } = await call('POST', '/machines', { name: 'service' })
  await call('PUT', `/machines/${id}/bundles/${bundle.id}`, { scope: 'deliver' })
  token = (await call('POST', `/machines/${id}/tokens`, {})).token
})

afterAll(async () => {
  closeTerminals()
  await server.dispose()
  rmSync(folder, { recursive: true })
})

async function call(method: string, path: string, body?: unknown) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
  })
  return JSON.parse(await answer.text())
}

function running(flags: readonly string[], isClient: string) {
  const log = join(mkdtempSync(join(folder, 'run-')), 'log')
  const program = join(folder, 'program.cjs')
  writeFileSync(program, PROGRAM)
  const { PATH } = process.env
  const own = { PATH, HOME: folder, TERM: 'xterm', KEYFERRY_SERVER: server.url, KEYFERRY_TOKEN: token }
  const words = [CLIENT_PROGRAM, 'run', '-q', ...flags, 'prod/app', '--', process.execPath, program]
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
  const ready = async (): Promise<number> => {
    await expect.poll(() => lines()[0]).toMatch(/^client \d+$/)
    return Number(lines()[0]?.split(' ')[1])
  }
  return { argv: [process.execPath, ...words], env: { ...own, LOG: log, IS_CLIENT: isClient }, lines, ready }
}

const modes = Object.entries(MODES)
const table = modes.flatMap(([mode, how]) =>
  Object.entries(INPUTS).map(([input, text]) => ({ mode, input, ...how, text })),
)

describe.skipIf(!hasTerminal())('a signal reaches the program once', () => {
  test.each(table)('$mode with input from $input', async ({ flags, isClient, text }) => {
    const { argv, env, lines, ready } = running(flags, isClient)
    const command = argv.map((word) => `'${word}'`).join(' ')
    const line = text.endsWith('|') ? `${text} ${command}` : `exec ${command} ${text}`
    const terminal = inTerminal(['bash', '-c', line], { env, cwd: folder })
    const client = await ready()
    const sent: string[] = []
    const note = async (signal: string): Promise<void> => {
      sent.push(signal)
      await expect
        .poll(() =>
          lines()
            .slice(1)
            .at(sent.length - 1),
        )
        .toBe(signal)
    }
    for (const signal of BY_KILL) {
      process.kill(client, signal)
      await note(signal)
    }
    // The keyboard reaches all of a pipeline, so this comes last.
    for (const [signal, key] of Object.entries(KEYS)) {
      terminal.type(key)
      await note(signal)
    }
    process.kill(client, 'SIGTERM')
    await note('SIGTERM')
    expect(await terminal.exit).toBe(9)
    expect(lines().slice(1)).toEqual(sent)
  })
})

test.each(modes)(
  '%s without a terminal: a signal reaches the program once',
  async (_mode, { flags, isClient }) => {
    const { argv, env, lines, ready } = running(flags, isClient)
    const [file = '', ...args] = argv
    const child = spawn('setsid', ['-w', file, ...args], { env, stdio: 'ignore' })
    const client = await ready()
    for (const signal of [...BY_KILL, 'SIGTERM'] as const) {
      const count = lines().length
      process.kill(client, signal)
      await expect.poll(() => lines().length).toBeGreaterThan(count)
    }
    expect(await once(child, 'exit')).toEqual([9, null])
    expect(lines().slice(1)).toEqual([...BY_KILL, 'SIGTERM'])
  },
)

test.each(modes.slice(1, 3))(
  '%s: a signal to the whole group reaches the program once',
  async (_mode, { flags, isClient }) => {
    const { argv, env, lines, ready } = running(flags, isClient)
    const [file = '', ...args] = argv
    const child = spawn(file, args, { env, stdio: 'ignore', detached: true })
    await ready()
    for (const signal of ['SIGUSR1', 'SIGHUP', 'SIGTERM'] as const) {
      const count = lines().length
      process.kill(-(child.pid ?? 0), signal)
      await expect.poll(() => lines().length).toBeGreaterThan(count)
    }
    expect(await once(child, 'exit')).toEqual([9, null])
    expect(lines().slice(1)).toEqual(['SIGUSR1', 'SIGHUP', 'SIGTERM'])
  },
)
