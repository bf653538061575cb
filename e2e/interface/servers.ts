import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { type DatabaseSettings, withDatabase } from '../../api/src/maintenance.ts'
import { freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { hasRedis, startRedis } from '../../plumbing/test/redis-server.ts'
import { PATIENCE_MS } from '../../plumbing/test/until.ts'
import { Program, temporaryFolder } from '../../server/test/program.ts'
import { Caller, signed, textOf } from './client.ts'

/*
 * What starts the real programs and databases: the only part of this suite that knows how the project is built.
 */

type Row = Record<string, unknown>

export type Service = {
  url: string
  /** The same service as a second program, with DEV_ALLOW_PLAINTEXT=1 and REQUEST_TTL=2. */
  developmentUrl: string
  /** BFF_SHARED_SECRET; null: the local single-user mode, which needs no authentication. */
  secret: string | null
  /** Read or write the database: what the interface says of records that no endpoint shows. */
  sql: (statement: string, values: readonly string[]) => Promise<Row[]>
  /** Make a person a member, which the interface has no endpoint for. */
  addMember: (user: string, tenant: string) => Promise<void>
  stop: () => Promise<void>
}

/** The service that is tested, once it runs. */
export type Running = () => Service

export type Kind = 'api on SQLite' | 'api on PostgreSQL and Redis' | 'the local all-in-one server'

export const KINDS: readonly Kind[] = [
  'api on SQLite',
  ...(hasPostgres() && hasRedis() ? (['api on PostgreSQL and Redis'] as const) : []),
  'the local all-in-one server',
]

export async function startService(kind: Kind): Promise<Service> {
  const isLocal = kind === 'the local all-in-one server'
  const [folder, other] = [temporaryFolder(), temporaryFolder()]
  const secret = randomBytes(32).toString('base64')
  const stores = kind === 'api on PostgreSQL and Redis' ? await sharedStores() : null
  const rootKey = randomBytes(32).toString('base64')
  const settings = {
    BFF_SHARED_SECRET: secret,
    ROOT_KEY: rootKey,
    ...(isLocal ? {} : { AUTH_MODE: 'accounts' }),
    ...stores?.settings,
  }
  const words = isLocal ? [] : ['api']
  const program = new Program({ ...settings, DATA_DIR: folder.path }, words)
  const url = await program.ready()
  const development = { NODE_ENV: 'development', DEV_ALLOW_PLAINTEXT: '1', REQUEST_TTL: '2' }
  const second = new Program({ ...settings, ...development, DATA_DIR: other.path }, words)
  const developmentUrl = await second.ready()
  const stop = async () => {
    await Promise.all([program.stop(), second.stop()])
    await stores?.stop()
    for (const { remove } of [folder, other]) remove()
  }
  const sql = stores?.sql ?? sqliteIn(folder.path)
  const databaseUrl = stores?.settings.DATABASE_URL ?? null
  const place: DatabaseSettings = {
    databaseUrl,
    dataDir: folder.path,
    rootKeys: [rootKey],
    publicHost: 'localhost',
  }
  const addMember = (user: string, tenant: string) => insertMember(place, user, tenant)
  return { url, developmentUrl, secret: isLocal ? null : secret, sql, addMember, stop }
}

// Through the storage, which gives the row its MAC: the server refuses a row that another program wrote.
async function insertMember(place: DatabaseSettings, user_id: string, tenant_id: string): Promise<void> {
  const now = new Date().toISOString()
  const row = { id: randomUUID(), user_id, tenant_id, role: 'member', created_at: now } as const
  await withDatabase(
    place,
    async ({ query }) => void (await query.insertInto('memberships').values(row).execute()),
  )
}

async function sharedStores() {
  const [databaseUrl, redis] = [await freshPostgres(), await startRedis()]
  const sql = async (statement: string, values: readonly string[]): Promise<Row[]> => {
    const client = new Client(databaseUrl)
    await client.connect()
    const { rows } = await client.query<Row>(statement, [...values])
    await client.end()
    return rows
  }
  return { settings: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url }, sql, stop: () => redis.stop() }
}

function sqliteIn(folder: string): Service['sql'] {
  return async (statement, values) => {
    const database = new DatabaseSync(join(folder, 'keyferry.db'), { timeout: PATIENCE_MS })
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]))
    const rows = database.prepare(statement).all(named)
    database.close()
    return rows
  }
}

export type Person = { caller: Caller; user: string; tenant: string }

/** Somebody with a workspace: a new person of the API, or the one of local mode. */
export async function newPerson(
  { secret }: Pick<Service, 'secret'>,
  url: string,
  id = `user_${randomUUID()}`,
): Promise<Person> {
  const body = { idp_user_id: id, email: `${id.slice(5, 20)}@example.com` }
  const made = await new Caller(url).post('/api/v1/users/ensure', body)
  const [user, tenant] = [textOf(made, 'user_id'), textOf(made, 'tenant_id')]
  return { caller: new Caller(url, secret === null ? {} : signed({ user, tenant }, secret)), user, tenant }
}

/** A person in the role `member` of an owner's tenant. The interface has the role, and no endpoint that gives it. */
export async function newMember(service: Service, { tenant }: Person): Promise<Caller> {
  const { user } = await newPerson(service, service.url)
  await service.addMember(user, tenant)
  return new Caller(service.url, signed({ user, tenant }, service.secret ?? ''))
}
