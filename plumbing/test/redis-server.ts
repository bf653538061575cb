import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { freePort } from '../src/free-port.ts'
import { hasPrograms } from './programs.ts'
import { until } from './until.ts'

/** A Redis for a test file. `stop` ends it when the test run started it. */
export type TestRedis = { url: string; stop(): Promise<void> }

/** A Redis that a test can kill and start again on its port. */
export type OwnRedis = TestRedis & {
  port: number
  isRunning(): boolean
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

/** Whether redis-server is installed. Otherwise its tests are skipped with a message; in CI that is a failure. */
export function hasRedis(): boolean {
  return hasPrograms('redis-server')
}

/** TEST_REDIS_URL, or a server that this process starts; `null` if neither is available. */
export async function testRedis(): Promise<TestRedis | null> {
  const url = process.env['TEST_REDIS_URL']
  return url ? { url, stop: async () => {} } : await ownRedis()
}

/** `null` if redis-server is not installed. */
export async function ownRedis(): Promise<OwnRedis | null> {
  return hasRedis() ? await startRedis() : null
}

/** Start a server on a free port that writes nothing to disk, or with `--sentinel` after a file a sentinel.
 * @param settings more words of its command line */
export async function startRedis(...settings: string[]): Promise<OwnRedis> {
  let { port, url, server } = await startOnFreePort(settings)
  return {
    url,
    port,
    isRunning: () => server.exitCode === null && server.signalCode === null,
    start: async () => {
      server = await startServer(port, url, settings)
    },
    stop: () => stopServer(server),
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
  }
}

// Another process may take the free port first: then the server ends at once.
async function startOnFreePort(settings: readonly string[]) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const url = `redis://127.0.0.1:${port}`
    try {
      return { port, url, server: await startServer(port, url, settings) }
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function startServer(port: number, url: string, settings: readonly string[]): Promise<ChildProcess> {
  const pidFile = `redis-${port}.pid`
  const dump = `redis-${port}.rdb`
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir(), '--pidfile', pidFile]
  // A replica gets its first copy as a file, which the next server of this folder would load.
  const unsaved = ['--save', '', '--appendonly', 'no', '--dbfilename', dump]
  const words = settings.includes('--sentinel')
    ? [...settings, ...place]
    : [...place, ...unsaved, ...settings]
  const server = spawn('redis-server', words, { stdio: 'ignore', cwd: tmpdir() })
  server.once('exit', () => [pidFile, dump].map((file) => rmSync(join(tmpdir(), file), { force: true })))
  await untilAnswers(server, url)
  return server
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

async function untilAnswers(server: ChildProcess, url: string): Promise<void> {
  await until('an answer of redis-server', async () => {
    const code = server.exitCode ?? server.signalCode
    if (code !== null) throw new Error(`redis-server ended with ${code} instead of answering`)
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
    try {
      await client.connect()
      client.destroy()
      return true
    } catch (error) {
      return error instanceof Error && error.message.startsWith('NOAUTH')
    }
  })
}
