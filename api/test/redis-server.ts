import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'

/** A Redis for a test file. `stop` ends it when the test run started it. */
export type TestRedis = { url: string; stop(): Promise<void> }

/** A Redis that a test may kill and start again on its port. */
export type OwnRedis = TestRedis & { start(): Promise<void>; freeze(): void; thaw(): void }

/** TEST_REDIS_URL, else a server of our own. Without either the tests that need one are skipped, loudly; in CI that
 * is a failure. */
export async function testRedis(): Promise<TestRedis | null> {
  const url = process.env['TEST_REDIS_URL']
  if (url) return { url, stop: async () => {} }
  return ownRedis()
}

/** A server of our own on a free port, keeping nothing on disk; `null` where redis-server is not installed. */
export async function ownRedis(): Promise<OwnRedis | null> {
  if (spawnSync('redis-server', ['--version']).error) return missing()
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server = await startServer(port, url)
  return {
    url,
    start: async () => {
      server = await startServer(port, url)
    },
    stop: () => stopServer(server),
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
  }
}

function missing(): null {
  if (process.env['CI']) throw new Error('redis-server is not installed, and CI may not skip its tests')
  console.warn('SKIPPED: tests on Redis, because neither TEST_REDIS_URL nor redis-server is there')
  return null
}

async function startServer(port: number, url: string): Promise<ChildProcess> {
  const pidFile = join(tmpdir(), `redis-${port}.pid`)
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', [...options, '--pidfile', pidFile], { stdio: 'ignore', cwd: '/tmp' })
  server.once('exit', () => rmSync(pidFile, { force: true }))
  await untilAnswers(url)
  return server
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

async function untilAnswers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
    try {
      await client.connect()
      client.destroy()
      return
    } catch {
      await sleep(20)
    }
  }
  throw new Error('redis-server does not answer')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
