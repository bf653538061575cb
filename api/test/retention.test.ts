import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgetInAudit } from '../src/main.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, logLine, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { DepositClient, storeDeposit } from './deposit-client.ts'
import { fetchValues, grant, newMachine, type TestMachine } from './machine-client.ts'
import { ReturningClient } from './returning-client.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const KEPT = { audit: 0, deliveries: 30, deposits: 30 }
const PROXY = { trustProxy: ['127.0.0.1'] }

/** More than two batches. */
const COPIES = 1_200

describe.each(oneDatabase)('deliveries and deposits that are kept for some days, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let machine: TestMachine
  let database: Database
  let app: { id: string; name: string }
  let other: { id: string; name: string }
  let keys: Record<string, string>
  let now: number
  beforeEach(async () => {
    now = Date.parse('2026-01-01T10:00:00.000Z')
    api = await startTestApi(kind, { now: () => new Date(now), ...PROXY })
    owner = await api.newOwner()
    const { settings } = api
    database = await openDatabase(settings.databaseUrl ?? join(settings.dataDir, 'keyferry.db'))
    app = await newBundle(api, owner, { A: 'a', B: 'b' })
    other = await newBundle(api, owner, { C: 'c' })
    keys = Object.fromEntries(
      (await api.call('listKeys', { as: owner })).json.map(({ id, name }) => [name, id]),
    )
    await api.call('attachKey', { as: owner, params: { bundle_id: other.id, key_id: keys['A'] ?? '' } })
    machine = await newMachine(api, owner, { expires_in_days: 365 })
    for (const bundle of [app, other]) await grant(api, owner, { machine, bundle })
  })
  afterEach(async () => {
    await database.close()
    await api.close()
  })

  async function approve(bundle: { id: string }, include_keys: string[], hostname: string) {
    now += 60_000
    const client = new ReturningClient(api)
    const requestId = await client.asked({ meta: { hostname, user: 'sam' } })
    const approved = await approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys })
    expect(approved.status).toBe(200)
    return { client, requestId }
  }
  async function deliver(bundle: { id: string }, include_keys: string[], hostname: string): Promise<void> {
    const { client, requestId } = await approve(bundle, include_keys, hostname)
    expect(client.opened(await client.wait(requestId))).toHaveProperty(include_keys[0] ?? '')
    const delivery = database.query
      .selectFrom('deliveries')
      .select('state')
      .where('request_id', '=', requestId)
    await expect.poll(() => delivery.execute()).toEqual([{ state: 'collected' }])
  }
  async function fetch(bundle: { id: string }): Promise<void> {
    now += 60_000
    const { answer } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    expect(answer.status).toBe(200)
  }

  /** All kinds of deliveries, and a machine that fetches all day. */
  async function fill(): Promise<void> {
    await deliver(app, ['A', 'B'], 'laptop')
    await deliver(app, ['A', 'B'], 'desk')
    await deliver(app, ['A'], 'laptop')
    await deliver(app, ['A'], 'laptop')
    await deliver(other, ['A', 'C'], 'laptop')
    await approve(app, ['A', 'B'], 'never-collected')
    for (const bundle of [app, app, other, app]) await fetch(bundle)
    await sql`with recursive counted (number) as (select 1 union all select number + 1 from counted where number < ${sql.lit(COPIES)})
      insert into deliveries (tenant_id, id, kind, state, bundle_id, bundle_name, machine_id, proof_id, holder, versions, created_at, collected_at)
      select tenant_id, id || '-' || number, kind, state, bundle_id, bundle_name, machine_id, proof_id, holder, versions,
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
      from counted, (select * from deliveries where machine_id is not null order by created_at limit 1) as fetched`.execute(
      database.query,
    )
    await api.call('updateKey', { as: owner, params: { key_id: keys['A'] ?? '' }, body: { value: 'new' } })
  }

  async function restart(retentionDays = api.settings.retentionDays): Promise<void> {
    await api.close()
    api = await startTestApi(kind, { ...api.settings, retentionDays, now: () => new Date(now) })
  }

  const count = async (table: 'deliveries' | 'deposits') =>
    (await database.query.selectFrom(table).select('id').execute()).length

  /** What the server says of the present. */
  async function present() {
    const request_id = await new ApprovalClient(api).asked()
    const bundles = [app, other].map(({ id: bundle_id }) =>
      api.call('getRequestBundle', { as: owner, params: { request_id, bundle_id } }),
    )
    const ofKeys = Object.values(keys).map((key_id) =>
      api.call('listHolders', { as: owner, params: { key_id } }),
    )
    const rest = [
      api.call('listHoldings', { as: owner, params: { user_id: owner.userId } }),
      api.call('listMachineHoldings', { as: owner, params: { machine_id: machine.id } }),
      api.call('listMachines', { as: owner }),
      api.call('listStaleKeys', { as: owner }),
      api.call('listUse', { as: owner }),
      api.call('listBundles', { as: owner, query: { facts: '1' } }),
    ]
    const answers = await Promise.all([...bundles, ...ofKeys, ...rest])
    return answers.map(({ status, json }) => ({ status, json }))
  }

  test('no answer about the present changes when old deliveries go', async () => {
    await fill()
    now += 40 * DAY_MS
    await restart()
    const before = await present()
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200))
    const all = await count('deliveries')
    await restart(KEPT)
    // Four deliveries of the person are told by holders or are the newest, one is open; the machine has one of each
    // bundle.
    await expect.poll(() => count('deliveries')).toBe(7)
    expect(all).toBe(COPIES + 10)
    expect(await present()).toEqual(before)
  })

  test('who was given values of a bundle is known after its key is split from another', async () => {
    await fill()
    now += 40 * DAY_MS
    await restart(KEPT)
    await expect.poll(() => count('deliveries')).toBe(7)
    const params = { bundle_id: app.id, key_id: keys['A'] ?? '' }
    const split = await api.call('splitKey', { as: owner, params })
    expect(split.status).toBe(201)
    const { json } = await api.call('listHolders', { as: owner, params: { key_id: split.json.id } })
    const holders = json.map(({ label, kind: who }) => (who === 'machine' ? who : label?.hostname))
    expect(new Set(holders)).toEqual(new Set(['desk', 'laptop', 'machine', 'never-collected']))
  })

  async function deposit(): Promise<void> {
    const client = new DepositClient(api)
    const requestId = await client.deposit('dev/stored', { D: 'd' })
    expect((await storeDeposit(api, owner, { client, requestId, share: [], own: [] })).status).toBe(200)
  }

  test('young deliveries and deposits stay, and old deposits go', async () => {
    await deposit()
    await fetch(app)
    await fetch(app)
    now += 20 * DAY_MS
    await deposit()
    now += 20 * DAY_MS
    await fetch(app)
    await restart(KEPT)
    await expect.poll(() => count('deposits')).toBe(1)
    await expect.poll(() => count('deliveries')).toBe(2)
    await expect.poll(() => logLine(api, 'old deposits deleted')).toMatchObject({ count: 1 })
    await expect
      .poll(() => logLine(api, 'old deliveries deleted'))
      .toMatchObject({ tenantId: owner.tenantId, count: 1 })
  })

  test('a signature that was used more than 15 minutes ago is forgotten', async () => {
    const uses = ['15 minutes ago', 'before'].map((nonce_hash, index) => ({
      nonce_hash,
      used_at: new Date(now - 15 * 60_000 - index).toISOString(),
    }))
    await database.query.insertInto('touch_uses').values(uses).execute()
    await api.sweep()
    const left = await database.query.selectFrom('touch_uses').select('nonce_hash').execute()
    expect(left).toEqual([{ nonce_hash: '15 minutes ago' }])
  })

  test('a person is forgotten in entries whose delivery is gone', async () => {
    await deliver(app, ['A', 'B'], 'laptop')
    await deliver(app, ['A', 'B'], 'laptop')
    await expect.poll(() => database.query.selectFrom('events').select('position').execute()).toEqual([])
    now += 40 * DAY_MS
    await restart(KEPT)
    await expect.poll(() => count('deliveries')).toBe(1)
    await forgetInAudit(api.settings, owner.userId)
    const { json } = await api.call('listAudit', { as: owner, query: { action: 'delivery.collected' } })
    expect(json.map(({ origin }) => origin)).toEqual([null, null])
  })
})
