import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { verifyAudit } from '../src/main.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type DatabaseKind,
  databases,
  expectError,
  type Identity,
  oneDatabase,
  startTestApi,
  type TestApi,
} from './api.ts'

/** More than a tenant may have waiting. */
const BACKLOG = 100_001

const openOf = ({ settings }: TestApi) =>
  openDatabase(settings.databaseUrl ?? join(settings.dataDir, 'keyferry.db'))

type Broken = 'events' | 'audit_log'

/** A table refuses every row, as with a full disk. */
async function refuseRows({ query }: Database, kind: DatabaseKind, table: Broken): Promise<void> {
  const name = sql.table(table)
  if (kind === 'sqlite') {
    await sql`create trigger broken before insert on ${name} begin select raise(abort, 'no room'); end`.execute(
      query,
    )
    return
  }
  await sql`create or replace function no_room() returns trigger language plpgsql
    as $$ begin raise 'no room'; end $$`.execute(query)
  await sql`create trigger broken before insert on ${name} for each row execute function no_room()`.execute(
    query,
  )
}

async function acceptRows({ query }: Database, kind: DatabaseKind, table: Broken): Promise<void> {
  await (kind === 'sqlite'
    ? sql`drop trigger broken`
    : sql`drop trigger broken on ${sql.table(table)}`
  ).execute(query)
}

/** As many events of a tenant as a long failure leaves. */
async function fillOutbox({ query }: Database, kind: DatabaseKind, tenantId: string): Promise<void> {
  const at = new Date().toISOString()
  const numbers =
    kind === 'sqlite'
      ? sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(BACKLOG)}) select`
      : sql`select`
  const from = kind === 'sqlite' ? sql`from n` : sql`from generate_series(1, ${sql.lit(BACKLOG)})`
  const mac = kind === 'sqlite' ? sql`x'00'` : sql`'\\x00'::bytea`
  await sql`insert into events (tenant_id, body, mac, created_at) ${numbers} ${sql.lit(tenantId)}, '{}', ${mac},
    ${sql.lit(at)} ${from}`.execute(query)
}

describe.each(databases)('when events cannot be written or appended on %s', (kind) => {
  let api: TestApi
  let database: Database
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    database = await openOf(api)
    owner = await api.newOwner()
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const newRequest = async () => {
    const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
    return (await api.call('createRequest', { body: { client_pubkey } })).json.id
  }

  test('an outbox that refuses rows: 503, nothing changed, nothing appended', async () => {
    const { json: bundle } = await api.call('createBundle', { as: owner, body: { name: 'dev/app' } })
    const { json: key } = await api.call('createKey', { as: owner, body: { name: 'KEPT', value: 'v' } })
    const params = { bundle_id: bundle.id, key_id: key.id, request_id: await newRequest() }
    await api.call('attachKey', { as: owner, params })
    await refuseRows(database, kind, 'events')
    const approval = { bundle_id: bundle.id, include_keys: ['KEPT'] }
    const refused = [
      await api.call('createKey', { as: owner, body: { name: 'LOST', value: 'v' } }),
      await api.call('updateKey', { as: owner, params, body: { value: 'lost' } }),
      await api.call('deleteKey', { as: owner, params }),
      await api.call('renameTenant', {
        as: owner,
        params: { tenant_id: owner.tenantId },
        body: { name: 'lost' },
      }),
      await api.call('exportBundle', { as: owner, params, query: { format: 'env' } }),
      await api.call('encryptFromBundle', { as: owner, params, body: approval }),
      await api.call('ensureUser', { body: { idp_user_id: 'user_lost', email: 'lost@example.com' } }),
    ]
    for (const answer of refused) expectError(answer, 503, 'audit log is unavailable', 'unavailable')
    await acceptRows(database, kind, 'events')
    const { json: keys } = await api.call('listKeys', { as: owner })
    expect(keys.map(({ name, version }) => [name, version])).toEqual([['KEPT', 1]])
    expect((await api.call('listTenants', { as: owner })).json[0]?.name).not.toBe('lost')
    const { json: context } = await api.call('getRequestContext', { params })
    expect(context.status).toBe('pending')
    expect((await api.call('listDeliveries', { as: owner })).json).toEqual([])
    expect((await api.call('encryptFromBundle', { as: owner, params, body: approval })).status).toBe(200)
  })

  test('a log that cannot be appended to is in /readyz until it can', async () => {
    const warnings = async () => (await api.call('getReadiness')).json.warnings
    await refuseRows(database, kind, 'audit_log')
    await api.call('createKey', { as: owner, body: { name: 'NOT_APPENDED_YET', value: 'v' } })
    await until('a warning', async () => (await warnings()).includes('audit log not sealed'))
    await acceptRows(database, kind, 'audit_log')
    await until('no warning', async () => (await warnings()).length === 0)
  })

  test('a log of which all entries still wait is sound', async () => {
    await refuseRows(database, kind, 'audit_log')
    const { tenantId } = await api.newOwner()
    const verdicts = await verifyAudit(api.settings, tenantId)
    await acceptRows(database, kind, 'audit_log')
    expect(verdicts).toMatchObject([{ entries: 0, problem: null }])
  })

  if (oneDatabase.includes(kind))
    test('more than 100,000 waiting events of a workspace: 503 there, and nowhere else', async () => {
      const other = await api.newOwner()
      await refuseRows(database, kind, 'audit_log')
      await api.call('createKey', { as: owner, body: { name: 'WAITING', value: 'v' } })
      await fillOutbox(database, kind, owner.tenantId)
      const body = { name: 'MORE', value: 'v' }
      const change = () =>
        api.call('renameTenant', { as: owner, params: { tenant_id: owner.tenantId }, body })
      await until('a refusal', async () => (await change()).status !== 200)
      expectError(await change(), 503, 'audit log is unavailable', 'unavailable')
      expect((await api.call('createKey', { as: other, body })).status).toBe(201)
      const readiness = await api.call('getReadiness')
      expect([readiness.status, readiness.json.failing]).toEqual([200, []])
      expect(readiness.json.warnings.join()).toContain('audit')
      await sql`delete from events where tenant_id = ${owner.tenantId} and body = '{}'`.execute(
        database.query,
      )
      await acceptRows(database, kind, 'audit_log')
      await until('a success', async () => (await change()).status === 200)
    })
})

if (databases.includes('postgres'))
  test('a log whose appending is cancelled each time keeps no other log waiting', async () => {
    const api = await startTestApi('postgres')
    const database = await openOf(api)
    const [slow, other] = [await api.newOwner(), await api.newOwner()]
    await sql`create function cancelled() returns trigger language plpgsql as $$ begin
      if new.tenant_id = ${sql.lit(slow.tenantId)} then raise 'cancelled' using errcode = '57014'; end if;
      return new; end $$`.execute(database.query)
    await sql`create trigger slow before insert on audit_log for each row execute function cancelled()`.execute(
      database.query,
    )
    const body = { name: 'TOGETHER', value: 'v' }
    await Promise.all([slow, other].map((as) => api.call('createKey', { as, body })))
    const newest = async (as: Identity) =>
      (await api.call('listAudit', { as, query: { action: 'key.created' } })).json[0]
    await until('the entry of the other log', async () => (await newest(other))?.sealed)
    expect((await newest(slow))?.sealed).toBe(false)
    await database.close()
    await api.close()
  })

if (databases.includes('postgres'))
  test('four nodes append to one chain of a workspace, which has every event once', async () => {
    const first = await startTestApi('postgres')
    const { databaseUrl, rootKeys } = first.settings
    const others = await Promise.all([1, 2, 3].map(() => startTestApi('sqlite', { databaseUrl, rootKeys })))
    const nodes = [first, ...others]
    const owner = await first.newOwner()
    await Promise.all(
      nodes.map(async (node, number) => {
        for (let index = 0; index < 40; index += 1)
          await node.call('createKey', { as: owner, body: { name: `K_${number}_${index}`, value: 'v' } })
      }),
    )
    const log = async () => (await first.call('listAudit', { as: owner, query: { limit: '1000' } })).json
    await until('the last entry', async () => (await log()).every(({ sealed }) => sealed))
    const created = (await log()).filter(({ action }) => action === 'key.created')
    expect(new Set(created.map(({ target }) => target.id)).size).toBe(160)
    expect((await log()).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 162 }, (_, index) => 162 - index),
    )
    await Promise.all(others.map((node) => node.close()))
    expect(await verifyAudit(first.settings, owner.tenantId)).toMatchObject([{ entries: 162, problem: null }])
    await first.close()
  })
