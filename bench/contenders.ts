import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { type NodeProcess, startProcess } from '../e2e/node-process.ts'
import { SERVER_PROGRAM } from '../e2e/programs.ts'
import { ownerNamed, type SignedClient } from '../e2e/signed-client.ts'
import { MACHINES } from './machine-world.ts'

export const SECRET = 'the shared secret of a measurement on loopback'

/** Where what is measured keeps its data. `redisUrl` counts for PostgreSQL only. */
/** The databases of a server; SQLite where none is named. */
export type Backends = {
  readonly databaseUrl?: string
  readonly redisUrl?: string
  readonly rootKey?: string
}

/** The internal API as a separate process, with one person in it. */
export type ApiProcess = NodeProcess & { readonly owner: SignedClient; readonly dataDir: string }

/** Preload this into a server, and it writes no events. */
export const WITHOUT_EVENTS = join(import.meta.dirname, 'without-events.ts')

const BARE_SERVER = join(import.meta.dirname, 'bare-server.ts')
const PLAIN_WRITER = join(import.meta.dirname, 'plain-writer.ts')
const PLAIN_SERVER = join(import.meta.dirname, 'plain-server.ts')
const folders: string[] = []

/** A folder that is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-bench-'))
  if (folders.push(folder) === 1)
    process.once('exit', () => {
      for (const each of folders) rmSync(each, { recursive: true, force: true })
    })
  return folder
}

type ApiOptions = {
  readonly dataDir?: string
  readonly env?: Readonly<Record<string, string>>
  readonly preload?: string
}

/** Start `keyferry-server api` as it runs in production, its log of calls written and thrown away. */
export async function startApi(
  backends: Backends = {},
  { dataDir = temporaryFolder(), env = {}, preload }: ApiOptions = {},
): Promise<ApiProcess> {
  const { databaseUrl, redisUrl, rootKey = formatRootKey(generateRootKey()) } = backends
  const api = await startProcess({
    script: SERVER_PROGRAM,
    words: ['api'],
    ...(preload === undefined ? {} : { preload }),
    env: {
      DATA_DIR: dataDir,
      BFF_SHARED_SECRET: SECRET,
      ROOT_KEY: rootKey,
      AUTH_MODE: 'accounts',
      TRUST_PROXY: '127.0.0.1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      ...env,
    },
  })
  return { ...api, dataDir, owner: await ownerNamed('bench', api.address, SECRET) }
}

/** Start a server with nothing but Fastify. */
export function startBare(): Promise<NodeProcess> {
  return startProcess({ script: BARE_SERVER })
}

/** Start the plain routes that do the API's writes, on a fresh SQLite file or a PostgreSQL, with one member. */
export async function startWriter(
  { headers }: SignedClient,
  databaseUrl = join(temporaryFolder(), 'plain.db'),
): Promise<NodeProcess> {
  const writer = await startProcess({ script: PLAIN_WRITER, words: [databaseUrl, SECRET, `${MACHINES}`] })
  await fetch(`${writer.address}/members`, { method: 'POST', headers })
  return writer
}

/** Start the plain routes that do the API's reads, on the API's database. */
export function startPlain(database: string): Promise<NodeProcess> {
  return startProcess({ script: PLAIN_SERVER, words: [database, SECRET] })
}
