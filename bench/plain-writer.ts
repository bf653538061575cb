import { createHash, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { eventMac, originHash } from '@keyferry/crypto/audit-chain'
import { verifyCaller } from '@keyferry/crypto/caller-signature'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { seal } from '@keyferry/crypto/seal'
import { randomId } from '@keyferry/crypto/token'
import { decryptValue, encryptValue } from '@keyferry/crypto/value-cipher'
import { GroupCommit } from '@keyferry/plumbing/group-commit'
import Fastify, { type FastifyRequest } from 'fastify'
import { Pool } from 'pg'
import { logCalls } from './plain-log.ts'

// What the API's creations and its deliveries to machines are compared with: plain Fastify routes with the same reads,
// the same encryption, the same event, the same durable rows and the same log line, and nothing else: no validation, no
// rule.
// SQLite commits in groups here too. Run as
// `node bench/plain-writer.ts SQLITE_FILE|postgres://… SHARED_SECRET MACHINES`; each machine holds all keys.

type Row = Record<string, unknown>
type Value = string | number | Uint8Array
type Change = (run: (text: string, values: Value[]) => unknown) => void
type Place = {
  read(text: string, values: Value[]): Promise<Row[]>
  /** Runs all statements of a change in one transaction, without a wait between them. */
  write(change: Change): Promise<void>
}

const KEYS = 20
const MOST_BYTES = 1_000_000
const TABLES = (bytes: string) => [
  'create table users (id text primary key, username text unique, is_active integer)',
  'create table tenants (id text primary key)',
  'create table memberships (user_id text, tenant_id text, role text, primary key (user_id, tenant_id))',
  `create table keys (tenant_id text references tenants, id text, name text, value ${bytes}, value_version integer,
    is_secret integer, description text, created_by text, created_at text, updated_by text, updated_at text,
    value_set_by text, value_set_at text, value_how text, value_was_secret integer,
    primary key (tenant_id, id), unique (tenant_id, name))`,
  `create table key_uses (tenant_id text, bundle_id text, key_id text, position integer, name text,
    primary key (tenant_id, bundle_id, key_id))`,
  'create table machines (token_hash text primary key, tenant_id text, id text, bundle_id text)',
  `create table events (tenant_id text, id text, body text, origin text, mac ${bytes}, created_at text,
    primary key (tenant_id, id))`,
  `create table deliveries (tenant_id text, id text, bundle_id text, machine_id text, versions text, created_at text,
    primary key (tenant_id, id))`,
  `create table holdings (tenant_id text, key_id text, holder text, delivery_id text, last_at text, times integer,
    primary key (tenant_id, key_id, holder))`,
]

const [place = '', secret = '', machineCount = ''] = process.argv.slice(2)
const database = place.startsWith('postgres:') ? await onPostgres(place) : onSqlite(place)
const tenantKey = Uint8Array.from(randomBytes(32))
const auditKey = createSecretKey(randomBytes(32))
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

const app = Fastify()
logCalls(app)
app.post('/members', async ({ headers }) => {
  const [userId, tenantId] = [String(headers['x-user-id']), String(headers['x-tenant-id'])]
  const keyIds = Array.from({ length: KEYS }, () => randomId())
  const machines = Array.from({ length: Number(machineCount) }, (_, at) => `machine-${at}`)
  await database.write((run) => {
    run('insert into users values ($1, $1, 1)', [userId])
    run('insert into tenants values ($1)', [tenantId])
    run('insert into memberships values ($1, $2, $3)', [userId, tenantId, 'owner'])
    for (const machine of machines)
      run('insert into machines values ($1, $2, $3, $4)', [hashOf(machine), tenantId, machine, 'bundle'])
    for (const [position, id] of keyIds.entries()) {
      const name = `KEY_${position}`
      insertKey(run, { tenantId, userId, id, name, value: 'x'.repeat(40) })
      run('insert into key_uses values ($1, $2, $3, $4, $5)', [tenantId, 'bundle', id, position, name])
    }
    for (const machine of machines)
      for (const id of keyIds)
        run('insert into holdings values ($1, $2, $3, $4, $5, 0)', [tenantId, id, machine, '', ''])
  })
  return { ok: true }
})
app.post<{ Body: { name: string; value: string } }>('/keys', async (request, reply) => {
  const { headers, body } = request
  const [userId, tenantId] = [String(headers['x-user-id']), String(headers['x-tenant-id'])]
  if (!verifyCaller({ userId, tenantId }, String(headers['x-signature']), [secret]))
    throw new Error('unsigned')
  const [member] = await database.read(STANDING, [userId, tenantId])
  if (member?.['is_active'] !== 1 || member['role'] === null) throw new Error('not a member')
  const id = randomId()
  let key = {}
  await database.write((run) => {
    key = insertKey(run, { ...body, tenantId, userId, id })
    const event = { action: 'key.created', actor: userId, key: id, name: body.name }
    insertEvent(run, { tenantId, origin: originOf(request), event })
  })
  return reply.code(201).send({ ...key, value: '*****', updated_by_name: member['username'] })
})
app.post<{ Body: { client_pubkey: string } }>('/deliveries', async (request) => {
  const { headers, body } = request
  const token = String(headers.authorization).slice('Bearer '.length)
  const [machine] = await database.read(
    'select tenant_id, id, bundle_id from machines where token_hash = $1',
    [hashOf(token)],
  )
  if (!machine) throw new Error('no such machine')
  const [tenantId, bundleId] = [String(machine['tenant_id']), String(machine['bundle_id'])]
  const machineId = String(machine['id'])
  const rows = await database.read(VALUES, [tenantId, bundleId])
  const values = rows.map((row) => [row['name'], opened(tenantId, row)] as const)
  const box = seal(
    Buffer.from(JSON.stringify(Object.fromEntries(values))),
    Buffer.from(body.client_pubkey, 'base64'),
  )
  const [id, at] = [randomId(), new Date().toISOString()]
  const versions = JSON.stringify(rows.map((row) => [row['id'], row['name'], 1]))
  await database.write((run) => {
    run('insert into deliveries values ($1, $2, $3, $4, $5, $6)', [
      tenantId,
      id,
      bundleId,
      machineId,
      versions,
      at,
    ])
    run(UPDATE, [id, at, tenantId, machineId, ...rows.map((row) => String(row['id']))])
    const event = { action: 'delivery.machine', delivery: id, versions, at }
    insertEvent(run, { tenantId, origin: originOf(request), event })
  })
  return {
    delivery_id: id,
    keys: rows.map((row) => row['name']),
    ciphertext_base64: Buffer.from(box).toString('base64'),
  }
})
process.stdout.write(`Listens   ${await app.listen({ host: '127.0.0.1', port: 0 })}\nCtrl-C\n`)

const STANDING = `select users.username, users.is_active, memberships.role from users
  left join tenants on tenants.id = $2
  left join memberships on memberships.user_id = users.id and memberships.tenant_id = $2 where users.id = $1`
const VALUES = `select keys.id, keys.name, case when (select sum(length(value)) from key_uses
      join keys on keys.tenant_id = key_uses.tenant_id and keys.id = key_uses.key_id
      where key_uses.tenant_id = $1 and key_uses.bundle_id = $2) < ${MOST_BYTES} then keys.value end as value
  from key_uses join keys on keys.tenant_id = key_uses.tenant_id and keys.id = key_uses.key_id
  where key_uses.tenant_id = $1 and key_uses.bundle_id = $2 order by position`
const UPDATE = `update holdings set delivery_id = $1, last_at = $2, times = times + 1
  where tenant_id = $3 and holder = $4 and key_id in (${Array.from({ length: KEYS }, (_, at) => `$${at + 5}`).join(', ')})`

type NewKey = { tenantId: string; userId: string; id: string; name: string; value: string }

function contextOf({ tenantId, id, name }: Pick<NewKey, 'tenantId' | 'id' | 'name'>) {
  return { tenantId, table: 'keys', rowId: id, column: 'value', version: 1, name, isSecret: true }
}

function insertKey(run: Parameters<Change>[0], key: NewKey): Record<string, Value> {
  const { tenantId, id, name, userId: by } = key
  const at = new Date().toISOString()
  const made = { value_version: 1, is_secret: 1, description: '', created_by: by, created_at: at }
  const set = { updated_by: by, updated_at: at, value_set_by: by, value_set_at: at, value_how: 'set' }
  const value = encryptValue(Plaintext.of(key.value), tenantKey, contextOf(key))
  const row = { tenant_id: tenantId, id, name, value, ...made, ...set, value_was_secret: 1 }
  run(INSERTION, Object.values(row))
  return row
}

const INSERTION = `insert into keys values (${Array.from({ length: 15 }, (_, at) => `$${at + 1}`).join(', ')})`

function originOf({ ip, headers }: FastifyRequest): string {
  return JSON.stringify({ ip, user_agent: headers['user-agent'] ?? '', salt: randomUUID() })
}

type Recorded = { tenantId: string; origin: string; event: Record<string, string> }

function insertEvent(run: Parameters<Change>[0], { tenantId, origin, event }: Recorded): void {
  const [id, at] = [randomId(), new Date().toISOString()]
  const body = JSON.stringify({ id, at, ...event, personal: originHash(origin) })
  const mac = eventMac({ tenantId, body, origin }, auditKey)
  run('insert into events values ($1, $2, $3, $4, $5, $6)', [tenantId, id, body, origin, mac, at])
}

function opened(tenantId: string, { id, name, value }: Row): string {
  if (!(value instanceof Uint8Array)) throw new Error('too large')
  return decryptValue(value, tenantKey, contextOf({ tenantId, id: String(id), name: String(name) })).reveal()
}

function onSqlite(path: string): Place {
  const file = new DatabaseSync(path, { timeout: 0 })
  file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  for (const table of TABLES('blob')) file.exec(table)
  const commits = new GroupCommit(file)
  const known = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const prepare = (text: string) => {
    const statement = known.get(text) ?? file.prepare(text.replaceAll('$', '?'))
    known.set(text, statement)
    return statement
  }
  return {
    read: async (text, values) => prepare(text).all(...values),
    async write(change) {
      await commits.begin()
      change((text, values) => prepare(text).run(...values))
      await commits.keep()
    },
  }
}

const names = new Map<string, string>()

function named(text: string, values: Value[]) {
  const name = names.get(text) ?? `plain_${names.size}`
  names.set(text, name)
  return { name, text, values }
}

async function onPostgres(url: string): Promise<Place> {
  const pool = new Pool({ connectionString: url, max: 12 })
  for (const table of TABLES('bytea')) await pool.query(table)
  return {
    read: async (text, values) => (await pool.query(named(text, values))).rows,
    async write(change) {
      const client = await pool.connect()
      const sent: Promise<unknown>[] = [client.query('begin')]
      change((text, values) => sent.push(client.query(named(text, values))))
      sent.push(client.query('commit'))
      await Promise.all(sent).finally(() => client.release())
    },
  }
}
