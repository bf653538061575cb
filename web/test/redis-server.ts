import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { freePort } from './start-test-web.ts'

/** A Redis of the test's own, keeping nothing on disk; it can be killed and started again on its port. */
export type TestRedis = { url: string; start(): Promise<void>; stop(): Promise<void> }

/** Whether redis-server is installed. Where it is not its tests are skipped, loudly; in CI that is a failure. */
export function hasRedis(): boolean {
  if (!spawnSync('redis-server', ['--version']).error) return true
  if (process.env['CI']) throw new Error('redis-server is not installed, and CI may not skip its tests')
  console.warn('SKIPPED: tests on Redis, because redis-server is not installed')
  return false
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server = await startServer(port, url)
  const start = async () => {
    server = await startServer(port, url)
  }
  return { url, start, stop: () => stopServer(server) }
}

async function startServer(port: number, url: string): Promise<ChildProcess> {
  const pidFile = join(tmpdir(), `redis-${port}.pid`)
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', [...options, '--pidfile', pidFile], { stdio: 'ignore', cwd: '/tmp' })
  server.once('exit', () => rmSync(pidFile, { force: true }))
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await answers(url)) return server
    await sleep(20)
  }
  throw new Error('redis-server does not answer')
}

async function answers(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => undefined)
  try {
    await client.connect()
    client.destroy()
    return true
  } catch {
    return false
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
