import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { Client } from 'pg'
import { expect } from 'vitest'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { JOURNAL, TABLES } from '../src/storage/base/tables.ts'
import { creationOf } from '../src/storage/schema/column.ts'
import { type DatabaseKind, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { proposed } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'

export type Library = { owner: Identity; member: Identity; keyId: string; bundleId: string }

/** Ids of requests, and the secret key of their client. */
export type Requests = { secretKey: string; waiting: string; approved: string; delivered: string }

/** What a kept database has, when it was made, and the root key that opens it. */
export type Kept = Library & Requests & { rootKey: string; madeAt: string }

/** Nodes on one database with a library, and a connection to it. The embedded database has one node. */
export async function libraryOnNodes(kind: DatabaseKind, options: Parameters<typeof startTestApi>[1]) {
  const first = await startTestApi(kind, options)
  const nodes =
    kind === 'sqlite' ? [first] : [first, await startTestApi(kind, { ...options, ...first.settings })]
  const kept = await fillLibrary(first)
  const stranger = await first.newOwner()
  const place = first.settings.databaseUrl ?? join(first.settings.dataDir, 'keyferry.db')
  return { nodes, kept, stranger, database: await openDatabase(place) }
}

/** Store at least one thing of each kind that is encrypted. */
export async function fillLibrary(api: TestApi): Promise<Library> {
  const owner = await api.newOwner()
  const member = await joinWorkspace(api, owner, 'member')
  const { id, name } = await newBundle(api, owner, {
    SECRET: 'a first value',
    HOST: { value: 'db.example.com', is_secret: false },
  })
  const keys = (await api.call('listKeys', { as: owner })).json
  const keyId = keys.find((key) => key.name === 'SECRET')?.id ?? ''
  await api.call('updateKey', { as: owner, params: { key_id: keyId }, body: { value: 'a second value' } })
  const item = { key: 'INLINE', value: 'an inline value' }
  await api.call('upsertLegacyItem', { as: owner, params: { bundle_id: id }, body: item })
  const hook = { url: 'https://192.0.2.1/hook' }
  const { json } = await api.call('createWebhook', { as: owner, body: hook })
  await api.call('rotateWebhookSecret', { as: owner, params: { webhook_id: json.id } })
  await api.call('createMachine', { as: owner, body: { name: 'ci' } })
  await proposed(api, member, { bundle: name, values: { PROPOSED: 'a proposed value' } })
  return { owner, member, keyId, bundleId: id }
}

/** A request that waits, one that is approved, and one whose values were delivered. */
export async function fillRequests(api: TestApi, { owner, bundleId }: Library): Promise<Requests> {
  const client = new ApprovalClient(api)
  const approved = async () => {
    const requestId = await client.asked()
    const approval = { requestId, bundle_id: bundleId, include_keys: ['SECRET'] }
    expect((await approveWith(api, owner, approval)).status).toBe(200)
    return requestId
  }
  const delivered = await approved()
  expect(client.opened(await client.wait(delivered))).toEqual({ SECRET: 'a second value' })
  await expect.poll(async () => (await client.wait(delivered)).status).toBe(404)
  const secretKey = Buffer.from(client.keyPair.secretKey).toString('base64')
  return { secretKey, waiting: await client.asked(), approved: await approved(), delivered }
}

/** The SQL that makes a database as it is now. */
export async function dumped({ query, columns }: Database): Promise<string> {
  const schema = { ...JOURNAL, ...TABLES }
  const lines = [...creationOf(schema, columns)]
  for (const table of Object.keys(schema)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(query)
    for (const row of rows) lines.push(insertion(table, row, columns.bytes === 'bytea'))
  }
  return `${lines.map((line) => line.replaceAll('), (', '),\n  (')).join(';\n')};\n`
}

/** The tables without a row. */
export async function emptyTables({ query }: Database): Promise<string[]> {
  const counted = Object.keys(TABLES).map(async (table) => {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(query)
    return rows.length === 0 ? [table] : []
  })
  return (await Promise.all(counted)).flat()
}

function insertion(table: string, row: Record<string, unknown>, isPostgres: boolean): string {
  const values = Object.values(row).map((value) => literal(value, isPostgres))
  return `insert into ${table} (${Object.keys(row).join(', ')}) values (${values.join(', ')})`
}

function literal(value: unknown, isPostgres: boolean): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString('hex')
    return isPostgres ? `'\\x${hex}'` : `x'${hex}'`
  }
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value)
}

/** Run SQL on a SQLite file or a PostgreSQL. */
export async function load(place: string, text: string): Promise<void> {
  if (!place.startsWith('postgres')) {
    using file = new DatabaseSync(place)
    file.exec(text)
    return
  }
  const client = new Client(place)
  await client.connect()
  await client.query(text)
  await client.end()
}
