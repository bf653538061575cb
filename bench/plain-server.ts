import { DatabaseSync } from 'node:sqlite'
import { verifyCaller } from '@keyferry/crypto/caller-signature'
import Fastify, { type FastifyRequest } from 'fastify'
import { Pool } from 'pg'
import { logCalls } from './plain-log.ts'

// What the API's reads are compared with: plain Fastify routes that check the same signature, send the same prepared
// reads to the same database and write the same log line, and do nothing else: no validation, no rule, no type.
// Run as `node bench/plain-server.ts SQLITE_FILE|postgres://… SHARED_SECRET`.

type Read = (...values: string[]) => Promise<Record<string, unknown>[]>

const STANDING = `select users.username, users.is_active, tenants.id as tenant_id, memberships.role from users
  left join tenants on tenants.id = $2
  left join memberships on memberships.user_id = users.id and memberships.tenant_id = $2
  where users.id = $1`
const KEY = `select id, name, value_version, is_secret, description, created_at, updated_at,
    created_by, updated_by, (select username from users where users.id = keys.updated_by) as updated_by_name,
    value_set_at, value_set_by, (select username from users where users.id = keys.value_set_by) as value_set_by_name,
    value_changed_elsewhere_at, expires_at, rotate_after_days, rotate_at, template_parts,
    (select count(*) from attachments
      where attachments.tenant_id = keys.tenant_id and attachments.key_id = keys.id) as used_in_bundles,
    case when is_secret = 0 then value end as value
  from keys where tenant_id = $1 and id = $2`
const USED_IN = `select bundles.id, bundles.name, attachments.delivered_name as "as" from attachments
  join bundles on bundles.id = attachments.bundle_id
  where attachments.tenant_id = $1 and attachments.key_id = $2 order by bundles.name`
const BUNDLE = `select id, tenant_id, name, description, tags, production, created_by, created_at, updated_at,
    updated_by, (select username from users where users.id = bundles.updated_by) as updated_by_name,
    (select count(*) from attachments
      where attachments.tenant_id = bundles.tenant_id and attachments.bundle_id = bundles.id) as key_count
  from bundles where tenant_id = $1 and id = $2`
const ATTACHED = `select keys.id, keys.name, keys.value_version, keys.is_secret, keys.description,
    keys.expires_at, keys.rotate_at, keys.template_parts, length(value) - 40 as bytes,
    attachments.delivered_name, attachments.position, attachments.required, case when is_secret = 0 then value end as value
  from attachments join keys on keys.tenant_id = attachments.tenant_id and keys.id = attachments.key_id
  where attachments.tenant_id = $1 and attachments.bundle_id = $2 order by attachments.position`
const LEGACY = `select id, name, value_version, is_secret, case when is_secret = 0 then value end as value
  from legacy_items where tenant_id = $1 and bundle_id = $2 order by name`

const [place = '', secret = ''] = process.argv.slice(2)
const prepare = place.startsWith('postgres:') ? onPostgres(place) : onSqlite(place)
const standing = prepare(STANDING)
const [key, usedIn] = [prepare(KEY), prepare(USED_IN)]
const [bundle, attached, legacy] = [prepare(BUNDLE), prepare(ATTACHED), prepare(LEGACY)]

const app = Fastify()
logCalls(app)
app.get<{ Params: { id: string } }>('/api/v1/keys/:id', async (request) => {
  const tenantId = await admitted(request)
  const [[found], bundles] = await Promise.all([
    key(tenantId, request.params.id),
    usedIn(tenantId, request.params.id),
  ])
  return { ...found, value: '*****', bundles }
})
app.get<{ Params: { id: string } }>('/api/v1/bundles/:id', async (request) => {
  const { id } = request.params
  const tenantId = await admitted(request)
  const entries = async () => [...(await attached(tenantId, id)), ...(await legacy(tenantId, id))]
  const [[found], items] = await Promise.all([bundle(tenantId, id), entries()])
  return { ...found, items: items.map((item) => ({ ...item, value: '*****' })) }
})
process.stdout.write(`Listens   ${await app.listen({ host: '127.0.0.1', port: 0 })}\nCtrl-C\n`)

async function admitted({ headers }: FastifyRequest): Promise<string> {
  const [userId, tenantId] = [String(headers['x-user-id']), String(headers['x-tenant-id'])]
  if (!verifyCaller({ userId, tenantId }, String(headers['x-signature']), [secret]))
    throw new Error('unsigned')
  const [row] = await standing(userId, tenantId)
  if (row?.['is_active'] !== 1 || row['role'] === null) throw new Error('not a member')
  return tenantId
}

function onSqlite(path: string): (text: string) => Read {
  const file = new DatabaseSync(path, { readOnly: true })
  return (text) => {
    const statement = file.prepare(text.replaceAll('$', '?'))
    return async (...values) => statement.all(...values)
  }
}

function onPostgres(url: string): (text: string) => Read {
  const pool = new Pool({ connectionString: url, max: 12 })
  let names = 0
  return (text) => {
    const named = { name: `plain_${++names}`, text }
    return async (...values) => (await pool.query({ ...named, values })).rows
  }
}
