import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ringOf, withRecording } from '../src/maintenance.ts'
import type { Database, Queries } from '../src/storage/base/queries.ts'
import type { Tables } from '../src/storage/base/tables.ts'
import { TenantKeys } from '../src/storage/keys-at-rest/tenant-keys.ts'
import type { CallOutcome } from '../src/webhooks/domain/webhook-outbox.ts'
import { createWebhookOutbox } from '../src/webhooks/storage/webhook-outbox.ts'
import { webhookSecrets } from '../src/webhooks/storage/webhook-secrets.ts'
import { sweepMessages } from '../src/webhooks/storage/webhook-sweeping.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

type MessageRow = Tables['webhook_messages']
type WebhookRow = Tables['webhooks']

const MOST = WEBHOOK_LIMITS.messages
const NOW = '2099-06-01T00:00:00.000Z'
const LATER = '2099-06-01T00:00:00.001Z'
const OLDEST = new Date(Date.parse(NOW) - WEBHOOK_TIMES.logSeconds * 1_000)

/** `count` webhooks that a node is calling now. */
const runningNow = (changed: object, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    tenantId: `t${index}`,
    createdBy: `p${index}`,
    id: `${index}`,
    isSlow: false,
    ...changed,
  }))

// The messages are dated 2099, so the server of this test does not send them.
describe.each(oneDatabase)('the queue of messages to webhooks, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind)
    database = await openDatabaseOf(api)
  })
  beforeEach(async () => {
    owner = await api.newOwner()
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const newWebhook = async () => {
    const body = { url: 'https://192.0.2.1/', events: ['bundle.changed'] }
    return (await api.call('createWebhook', { as: owner, body })).json.id
  }
  const row = (webhook_id: string, id: string, changed: Partial<MessageRow>): MessageRow => ({
    tenant_id: owner.tenantId,
    webhook_id,
    id,
    type: 'bundle.changed',
    body: '{}',
    merge_key: null,
    state: 'waiting',
    not_before: NOW,
    give_up_at: LATER,
    attempts: 1,
    created_at: NOW,
    last_status: null,
    last_error: null,
    last_ms: null,
    done_at: null,
    ...changed,
  })
  const insert = (rows: MessageRow[]) => database.query.insertInto('webhook_messages').values(rows).execute()
  /** Inserts `count` messages. Number 1 is the newest. */
  const insertMany = async (webhookId: string, count: number, end: 'waiting' | 'done') => {
    const done_at = end === 'done' ? NOW : null
    await sql`insert into webhook_messages
      (tenant_id, webhook_id, id, type, body, state, not_before, give_up_at, attempts, created_at, done_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select ${owner.tenantId}, ${webhookId}, ${end} || cast(n as text), 'bundle.changed', '{}',
        case when ${end} = 'done' and n % 2 = 0 then 'failed' else ${end} end,
        '9', ${LATER}, 1, cast(${sql.lit(9 * MOST)} - n as text), ${done_at} from numbers`.execute(
      database.query,
    )
  }
  const swept = () => withRecording(api.settings, (queries) => sweepMessages(queries, NOW))
  const stored = async (webhookId: string) => {
    const rows = database.query.selectFrom('webhook_messages').where('webhook_id', '=', webhookId)
    return await rows.select(['id', 'state', 'last_error', 'merge_key', 'done_at']).orderBy('id').execute()
  }

  const states = async (of: string) =>
    (await stored(of)).map((each) => `${each.id}: ${each.state} ${each.last_error ?? ''}`.trim())

  test('a message that waited too long has failed, and one that ended more than 30 days ago is forgotten', async () => {
    const id = await newWebhook()
    await insert([
      row(id, '1 overdue', { give_up_at: NOW, merge_key: 'webhook.test' }),
      row(id, '2 waiting', {}),
      row(id, '3 sending', { state: 'sending', give_up_at: NOW }),
      row(id, '4 done', { state: 'done', done_at: OLDEST.toISOString() }),
      row(id, '5 old', { state: 'failed', done_at: new Date(OLDEST.getTime() - 1).toISOString() }),
    ])
    await swept()
    const untouched = { last_error: null, merge_key: null, done_at: null }
    expect(await stored(id)).toEqual([
      { id: '1 overdue', state: 'failed', last_error: 'expired', merge_key: null, done_at: NOW },
      { ...untouched, id: '2 waiting', state: 'waiting' },
      { ...untouched, id: '3 sending', state: 'sending' },
      { ...untouched, id: '4 done', state: 'done', done_at: OLDEST.toISOString() },
    ])
  })

  test('a webhook keeps its newest 10,000 waiting messages and its newest 10,000 ended messages', async () => {
    const [waiting, log, other] = [await newWebhook(), await newWebhook(), await newWebhook()]
    await insertMany(waiting, MOST + 2, 'waiting')
    await insertMany(log, MOST + 1, 'done')
    const oldest = `done${MOST + 1}`
    await insert([
      row(waiting, 'done', { state: 'done', created_at: '0', done_at: NOW }),
      row(log, 'waiting', { created_at: '0' }),
      row(other, `waiting${MOST + 2}`, {}),
      row(other, oldest, { state: 'done', done_at: NOW }),
    ])
    await swept()
    const rows = await stored(waiting)
    const dropped = { state: 'failed', last_error: 'dropped', merge_key: null, done_at: NOW }
    expect(rows.length).toBe(MOST + 3)
    expect(rows.filter(({ last_error }) => last_error !== null)).toEqual([
      { ...dropped, id: `waiting${MOST + 1}` },
      { ...dropped, id: `waiting${MOST + 2}` },
    ])
    const kept = (await stored(log)).map(({ id }) => id)
    expect([kept.length, kept.includes(oldest), kept.includes('waiting')]).toEqual([MOST + 1, false, true])
    expect((await stored(other)).map(({ state }) => state)).toEqual(['done', 'waiting'])
  })
  const inOutbox = <T>(work: (outbox: ReturnType<typeof createWebhookOutbox>) => Promise<T>) =>
    withRecording(api.settings, (queries: Queries) =>
      work(createWebhookOutbox(queries, webhookSecrets(new TenantKeys(queries, ringOf(api.settings))))),
    )
  const change = (id: string, changed: Partial<WebhookRow>) =>
    database.query.updateTable('webhooks').set(changed).where('id', '=', id).execute()
  const placeOf = (id: string) => ({
    id,
    tenantId: owner.tenantId,
    createdBy: owner.userId,
    isSlow: false,
  })
  const lease = { claim: 'c', now: NOW, until: '2099-06-01T00:00:30.000Z' }

  test('the webhook with the earliest time is due first; a disabled, claimed or idle one is not due', async () => {
    const [second, first, later, claimed, off, idle, early] = await Promise.all(
      Array.from({ length: 7 }, newWebhook),
    )
    for (const id of [second, first, later, claimed, off]) await insert([row(id ?? '', 'm', {})])
    await insert([row(idle ?? '', 'm', { state: 'done', done_at: NOW })])
    await insert([row(early ?? '', 'm', { not_before: LATER })])
    await change(first ?? '', { next_at: '1' })
    await change(second ?? '', { next_at: NOW, is_slow: 1, claimed_until: NOW })
    await change(later ?? '', { next_at: LATER })
    await change(claimed ?? '', { claimed_until: LATER })
    await change(off ?? '', { is_active: 0 })
    const place = placeOf(first ?? '')
    await inOutbox(async (outbox) => {
      const due = async (running: Parameters<typeof outbox.due>[1] = []) =>
        (await outbox.due(NOW, running)).filter(({ tenantId }) => tenantId === owner.tenantId)
      const facts = { tenantId: owner.tenantId, createdBy: owner.userId }
      expect(await due()).toEqual([
        { ...facts, id: first, isSlow: false },
        { ...facts, id: second, isSlow: true },
      ])
      expect(await due(runningNow({ tenantId: owner.tenantId }, 10))).toEqual([])
      expect(await due(runningNow({ tenantId: owner.tenantId }, 9))).toHaveLength(2)
      expect(await due(runningNow({ createdBy: owner.userId }, 20))).toEqual([])
      expect(await due(runningNow({ createdBy: owner.userId }, 19))).toHaveLength(2)
      expect((await due(runningNow({ isSlow: true }, 50))).map(({ id }) => id)).toEqual([first])
      expect(await outbox.due(NOW, runningNow({}, 99))).toHaveLength(1)
      expect(await outbox.due(NOW, runningNow({}, 100))).toEqual([])
      for (const id of [later, claimed, off])
        expect(await outbox.claim({ ...place, id: id ?? '' }, lease)).toBe(false)
      expect([await outbox.claim(place, lease), await outbox.claim(place, lease)]).toEqual([true, false])
    })
  })

  test('a test is sent first, then the oldest message, even if a node stopped while it sent it', async () => {
    const [id, other] = [await newWebhook(), await newWebhook()]
    const place = placeOf(id)
    await insert([
      row(other, '1 of another', { created_at: '1' }),
      row(id, '2 done', { created_at: '1', state: 'done', done_at: NOW }),
      row(id, '3 early', { created_at: '1', not_before: LATER }),
      row(id, '6 second', { created_at: '2' }),
      row(id, '5 oldest', { created_at: '2', state: 'sending' }),
      row(id, '4 newest', { created_at: '4' }),
      row(id, '7 test', { created_at: '3', type: 'webhook.test', merge_key: 'webhook.test' }),
    ])
    await inOutbox(async (outbox) => {
      expect(await outbox.next(place, lease)).toBeNull()
      expect(await outbox.claim(place, lease)).toBe(true)
      const next = () => outbox.next(place, lease)
      expect(await next()).toMatchObject({ id: '7 test', body: '{}', failures: 0, failingSince: null })
      await database.query.deleteFrom('webhook_messages').where('id', '=', '7 test').execute()
      expect(await next()).toMatchObject({ id: '5 oldest' })
      expect(await states(other)).toEqual(['1 of another: waiting'])
      await change(other, { claimed_by: 'c' })
      await database.query
        .updateTable('webhook_messages')
        .set({ state: 'sending' })
        .where('webhook_id', '=', other)
        .execute()
      await outbox.release(place, 'another')
      expect(await states(id)).toContain('5 oldest: sending')
      await outbox.release(place, 'c')
      expect(await states(id)).toEqual([
        '2 done: done',
        '3 early: waiting',
        '4 newest: waiting',
        '5 oldest: waiting interrupted',
        '6 second: waiting',
      ])
      expect(await states(other)).toEqual(['1 of another: sending'])
      expect(await next()).toBeNull()
      const claims = database.query
        .selectFrom('webhooks')
        .select(['claimed_by', 'claimed_until'])
        .orderBy('id')
      expect(await claims.where('tenant_id', '=', owner.tenantId).execute()).toEqual([
        { claimed_by: null, claimed_until: '' },
        { claimed_by: 'c', claimed_until: '' },
      ])
    })
  })

  const GOOD = { status: 200, word: null, ms: 999, retryAfter: null }
  const BAD = { status: 500, word: 'status', ms: 7, retryAfter: 86_400 }
  const NEXT_DAY = '2099-06-02T00:00:00.000Z'
  const FIVE_DAYS_AGO = '2099-05-27T00:00:00.000Z'
  const fresh = { failures: 0 }
  const trouble = { is_active: 1, ended_reason: null, failures: 3, failing_since: '2099-05-31' } as const

  test.each<[string, CallOutcome, Partial<WebhookRow>, Partial<MessageRow>, Partial<WebhookRow>]>([
    [
      'a success ends the series of failures',
      GOOD,
      trouble,
      { state: 'done', last_status: 200, last_error: null, last_ms: 999, done_at: NOW },
      { failures: 0, failing_since: null, next_at: '', last_delivered_at: NOW, is_slow: 0, is_active: 1 },
    ],
    [
      'a call that takes a second marks the webhook as slow',
      { ...GOOD, ms: 1_000 },
      fresh,
      { state: 'done' },
      { is_slow: 1 },
    ],
    [
      'the first failure starts a series',
      BAD,
      fresh,
      { state: 'waiting', last_status: 500, last_error: 'status', last_ms: 7, done_at: null },
      { failures: 1, failing_since: NOW, next_at: NEXT_DAY, is_slow: 1, is_active: 1, ended_reason: null },
    ],
    [
      'another failure continues the series',
      BAD,
      trouble,
      { state: 'waiting' },
      { ...trouble, failures: 4, next_at: NEXT_DAY, last_delivered_at: null },
    ],
    [
      'five days of failures disable the webhook',
      BAD,
      { ...trouble, failing_since: FIVE_DAYS_AGO },
      { state: 'waiting', done_at: null },
      { is_active: 0, ended_reason: 'failing', failing_since: FIVE_DAYS_AGO },
    ],
    [
      'a receiver that is gone disables the webhook',
      { ...BAD, status: 410 },
      fresh,
      { state: 'failed', last_status: 410, done_at: NOW },
      { is_active: 0, ended_reason: 'gone', failures: 1 },
    ],
  ])('%s', async (_what, outcome, before, message, after) => {
    const [id, other] = [await newWebhook(), await newWebhook()]
    const place = placeOf(id)
    const later = '2099-06-10T00:00:00.000Z'
    await insert([
      row(id, '1', { give_up_at: later, created_at: '1' }),
      row(id, '2', { give_up_at: later, created_at: '2' }),
      row(other, '1', { give_up_at: later }),
    ])
    await change(id, before)
    const isSettled = await inOutbox(async (outbox) => {
      await outbox.claim(place, lease)
      const sending = await outbox.next(place, lease)
      if (sending === null) throw new Error('no message is due')
      const sent = { message: sending, outcome, now: new Date(NOW) }
      expect(await outbox.settle(place, { ...sent, claim: 'another' })).toBe(false)
      return await outbox.settle(place, { ...sent, claim: 'c' })
    })
    expect(isSettled).toBe(message.state === 'done')
    const messages = database.query
      .selectFrom('webhook_messages')
      .selectAll()
      .orderBy('webhook_id')
      .orderBy('id')
    expect(await messages.where('tenant_id', '=', owner.tenantId).execute()).toMatchObject([
      { ...message, attempts: 2 },
      { state: 'waiting', last_status: null, attempts: 1 },
      { state: 'waiting', last_status: null, attempts: 1 },
    ])
    const webhooks = database.query.selectFrom('webhooks').selectAll().orderBy('id')
    expect(await webhooks.where('tenant_id', '=', owner.tenantId).execute()).toMatchObject([
      after,
      { failures: 0, failing_since: null, last_delivered_at: null, is_active: 1, is_slow: 0 },
    ])
    const { json } = await api.call('listAudit', { as: owner, query: { action: 'webhook.disabled' } })
    const target = { kind: 'webhook', id, name: '192.0.2.1' }
    const disabled = { at: NOW, actor: { kind: 'server' }, target, data: { reason: after.ended_reason } }
    expect(json).toMatchObject(after.is_active === 0 ? [disabled] : [])
  })
})
