import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/free-port.ts'
import { untilAnswers } from './postgres.ts'
import { hasPrograms } from './programs.ts'

/** A pooler: `url` is the database's address through it. */
export type TestPooler = { url: string; stop(): Promise<void> }

/** Whether pgbouncer is installed. Otherwise its tests are skipped with a message; in CI that is a failure. */
export function hasPgbouncer(): boolean {
  return hasPrograms('pgbouncer')
}

/** Start a pgbouncer that gives each transaction one of two connections to the database, or each client its own. */
export async function startPgbouncer(
  databaseUrl: string,
  mode: 'transaction' | 'session' = 'transaction',
): Promise<TestPooler> {
  const port = await freePort()
  const config = join(tmpdir(), `pgbouncer-${port}.ini`)
  writeFileSync(config, configOf(new URL(databaseUrl), port, mode))
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn('pgbouncer', [...account, config], { stdio: 'ignore' })
  const pidFile = join(tmpdir(), `pgbouncer-${port}.pid`)
  writeFileSync(pidFile, `${pooler.pid}`)
  const url = new URL(databaseUrl)
  url.port = `${port}`
  await untilAnswers(url.href)
  return {
    url: url.href,
    stop: async () => {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
      rmSync(pidFile)
      rmSync(config)
    },
  }
}

function configOf(database: URL, ownPort: number, mode: 'transaction' | 'session'): string {
  const { hostname, port, username, password } = database
  return `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 50 : 2}
`
}
