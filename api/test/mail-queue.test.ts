import { TIMES } from '@keyferry/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMailOutbox } from '../src/mail/storage/mail-outbox.ts'
import { type MailDraft, queueMails } from '../src/mail/storage/mail-queue.ts'
import { expiringKeys } from '../src/mail/storage/mail-reading.ts'
import { sweepMails } from '../src/mail/storage/mail-sweeping.ts'
import { withRecording } from '../src/maintenance.ts'
import type { Database, Queries } from '../src/storage/base/queries.ts'
import type { Tables } from '../src/storage/base/tables.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

type MailRow = Tables['mail_messages']

const NOW = new Date('2026-06-01T00:00:00.000Z')
const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds).toISOString()
const [AT, SOON, HOUR] = [at(0), TIMES.expiringSeconds * 1_000, 60 * 60 * 1_000]

// The server of this test sends no mails, so only the test changes the queue.
describe.each(oneDatabase)('the queue of mails, on %s', (kind) => {
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
  afterEach(async () => {
    await database.query.deleteFrom('mail_receivers').execute()
    await database.query.deleteFrom('keys').execute()
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const inQueue = <T>(work: (queries: Queries) => Promise<T>) => withRecording(api.settings, work)
  const sweep = (now = NOW) => inQueue((queries) => sweepMails(queries, now))
  const queue = (...drafts: Partial<MailDraft>[]) =>
    inQueue(({ write }) =>
      write((transaction) =>
        queueMails(
          transaction,
          drafts.map((draft) => ({
            kind: 'waiting',
            to: 'actor',
            topic: 't',
            facts: {},
            address: 'ana@example.com',
            userId: owner.userId,
            tenantId: owner.tenantId,
            madeBy: null,
            ...draft,
          })),
          AT,
        ),
      ),
    )
  const receiver = (id: string, changed: Partial<Tables['mail_receivers']> = {}) =>
    database.query
      .insertInto('mail_receivers')
      .values({ id, next_at: '', failures: 0, claimed_until: '', claimed_by: null, ...changed })
      .execute()
  const mail = (id: string, changed: Partial<MailRow> = {}) =>
    database.query
      .insertInto('mail_messages')
      .values({
        id,
        address_key: 'ana@example.com',
        kind: 'waiting',
        topic: 't',
        user_id: owner.userId,
        tenant_id: owner.tenantId,
        made_by: null,
        facts: '{}',
        state: 'waiting',
        not_before: AT,
        give_up_at: at(1),
        attempts: 0,
        last_error: null,
        created_at: AT,
        done_at: null,
        ...changed,
      })
      .execute()
  const stored = () =>
    database.query
      .selectFrom('mail_messages')
      .select(['id', 'address_key', 'kind', 'topic', 'tenant_id', 'user_id', 'state', 'done_at'])
      .orderBy('id')
      .execute()
  const queuedNow = async () => (await stored()).filter(({ topic }) => topic === 'new').length
  const addressOf = async ({ userId }: Identity) =>
    (await database.query.selectFrom('users').select('email_key').where('id', '=', userId).execute())[0]
      ?.email_key
  const newKey = async (name: string, expires_at: string, as = owner) => {
    const made = await api.call('createKey', { as, body: { name, value: 'v', expires_at } })
    expect(made.status).toBe(201)
  }

  test('each due date within two weeks is mailed once, to owners with a proved address who want it', async () => {
    const other = await joinWorkspace(api, owner, 'owner')
    const member = await joinWorkspace(api, owner, 'member')
    const silent = await joinWorkspace(api, owner, 'owner')
    const disabled = await joinWorkspace(api, owner, 'owner')
    const unproven = await joinWorkspace(api, owner, 'owner')
    const elsewhere = await api.newOwner()
    await database.query
      .insertInto('mail_choices')
      .values({ user_id: silent.userId, kind: 'key_expires' })
      .execute()
    await database.query
      .insertInto('mail_choices')
      .values({ user_id: other.userId, kind: 'waiting' })
      .execute()
    const users = database.query.updateTable('users')
    await users.set({ is_active: 0 }).where('id', '=', disabled.userId).execute()
    await users.set({ proven_key: null }).where('id', '=', unproven.userId).execute()
    await users
      .set((column) => ({ proven_key: column.ref('email_key') }))
      .where('id', 'in', [
        owner.userId,
        other.userId,
        member.userId,
        silent.userId,
        disabled.userId,
        elsewhere.userId,
      ])
      .execute()
    await newKey('EXPIRED', AT)
    await newKey('LATER', at(SOON + 1))
    await newKey('OF_OTHERS', at(SOON + 1), elsewhere)
    await sweep()
    expect(await stored()).toEqual([])
    await newKey('LAST', at(SOON))
    await newKey('FIRST', at(1))
    await sweep()
    const addresses = await Promise.all([owner, other].map(addressOf))
    const queued = await stored()
    expect(queued.map(({ address_key }) => address_key).toSorted()).toEqual(addresses.map(String).toSorted())
    expect(queued.map(({ kind: of, topic }) => [of, topic])).toEqual([
      ['key_expires', owner.tenantId],
      ['key_expires', owner.tenantId],
    ])
    const named = await expiringKeys(database.query, owner.tenantId, NOW)
    expect(named.map(({ name }) => name)).toEqual(['FIRST', 'LAST'])
    expect(await expiringKeys(database.query, elsewhere.tenantId, NOW)).toEqual([])
    await database.query.deleteFrom('mail_messages').execute()
    await sweep()
    expect(await stored()).toEqual([])
    // FIRST has expired and is forgotten. LATER and OF_OTHERS now expire within two weeks.
    await sweep(new Date(at(2)))
    expect(new Set((await stored()).map(({ tenant_id }) => tenant_id))).toEqual(
      new Set([owner.tenantId, elsewhere.tenantId]),
    )
    const noted = database.query.selectFrom('mail_expiries').select('expires_at').orderBy('expires_at')
    expect((await noted.execute()).map(({ expires_at }) => expires_at)).toEqual([
      at(SOON),
      at(SOON + 1),
      at(SOON + 1),
    ])
  })

  test('a mail is given up at its deadline; an address without mails is forgotten unless it is in use', async () => {
    for (const id of ['ana@example.com', 'idle@example.com']) await receiver(id)
    await receiver('claimed@example.com', { claimed_until: at(1) })
    await receiver('free@example.com', { claimed_until: AT })
    await mail('1', { give_up_at: AT })
    await mail('2')
    await mail('3', { give_up_at: AT, state: 'sending' })
    await mail('4', { state: 'sent', done_at: at(-48 * HOUR) })
    await mail('5', { state: 'sent', done_at: at(-48 * HOUR - 1) })
    await sweep()
    expect((await stored()).map(({ id, state, done_at }) => [id, state, done_at])).toEqual([
      ['1', 'refused', AT],
      ['2', 'waiting', null],
      ['3', 'sending', null],
      ['4', 'sent', at(-48 * HOUR)],
    ])
    const left = await database.query.selectFrom('mail_receivers').select('id').orderBy('id').execute()
    expect(left.map(({ id }) => id)).toEqual(['ana@example.com', 'claimed@example.com'])
  })

  test('only one mail of each kind and topic waits for an address', async () => {
    await receiver('ana@example.com')
    await mail('sending', { state: 'sending' })
    await mail('sent', { state: 'sent', done_at: AT })
    await queue({})
    await queue({})
    await queue({ topic: 'another' })
    await queue({ kind: 'remembered' })
    await queue({ address: 'sam@example.com' })
    const waiting = (await stored()).filter(({ state }) => state === 'waiting')
    expect(
      waiting.map(({ address_key, kind: of, topic }) => `${address_key} ${of} ${topic}`).toSorted(),
    ).toEqual([
      'ana@example.com remembered t',
      'ana@example.com waiting another',
      'ana@example.com waiting t',
      'sam@example.com waiting t',
    ])
  })

  test('a node gets the oldest mail of an address, and waits an hour between two mails of one kind', async () => {
    await receiver('ana@example.com')
    await receiver('sam@example.com', { next_at: '1' })
    await receiver('later@example.com', { next_at: at(1) })
    await receiver('claimed@example.com', { claimed_until: at(1) })
    for (const address_key of ['later@example.com', 'claimed@example.com', 'sam@example.com'])
      await mail(address_key, { address_key, created_at: '0' })
    await mail('4 early', { not_before: at(1), created_at: '1' })
    await mail('3 delayed', { kind: 'remembered', created_at: '2' })
    await mail('2 first', { created_at: '3' })
    await mail('2 second', { created_at: '3', topic: 'another' })
    await mail('1 second', { created_at: '4', topic: 'another' })
    await mail('0 sent', { kind: 'remembered', state: 'sent', done_at: at(1 - HOUR), created_at: '0' })
    await mail('0 sent before', { state: 'sent', done_at: at(-HOUR), created_at: '0' })
    const [place, lease] = [{ id: 'ana@example.com' }, { claim: 'c', now: AT, until: at(5) }]
    await inQueue(async (queries) => {
      const outbox = createMailOutbox(queries)
      expect(await outbox.due(AT, [])).toEqual([place, { id: 'sam@example.com' }])
      expect(await outbox.next(place, lease)).toBeNull()
      expect(await outbox.claim({ id: 'later@example.com' }, lease)).toBe(false)
      expect(await outbox.claim({ id: 'claimed@example.com' }, lease)).toBe(false)
      expect([await outbox.claim(place, lease), await outbox.claim(place, lease)]).toEqual([true, false])
      const message = await outbox.next(place, lease)
      expect(message).toMatchObject({ id: '2 first', address: 'ana@example.com', failures: 0 })
      await outbox.release(place, 'another')
      await outbox.release({ id: 'sam@example.com' }, 'c')
      const mails = database.query
        .selectFrom('mail_messages')
        .select(['id', 'state', 'not_before', 'attempts'])
      const ofAna = async () =>
        Object.fromEntries(
          (await mails.where('address_key', '=', place.id).execute()).map(({ id, ...row }) => [id, row]),
        )
      expect(await ofAna()).toMatchObject({
        '1 second': { state: 'waiting', not_before: AT, attempts: 0 },
        '2 first': { state: 'sending', attempts: 1 },
        '3 delayed': { state: 'waiting', not_before: at(1) },
        '4 early': { state: 'waiting', not_before: at(1) },
      })
      await outbox.release(place, 'c')
      expect(await ofAna()).toMatchObject({ '0 sent': { state: 'sent' }, '2 first': { state: 'waiting' } })
      expect(await outbox.claim(place, { ...lease, claim: 'd' })).toBe(true)
      expect(await outbox.next(place, { ...lease, claim: 'd' })).toMatchObject({ id: '2 first' })
    })
  })
  test('ten addresses are due at a time, the earliest first, and only those with a mail that is due', async () => {
    const addresses = Array.from(
      { length: 12 },
      (_, index) => `${String.fromCharCode(110 - index)}@example.com`,
    )
    for (const [index, id] of addresses.entries()) {
      await receiver(id, { next_at: String(10 + index) })
      await mail(id, { address_key: id, state: index % 2 === 0 ? 'waiting' : 'sending' })
    }
    await receiver('1 early', { next_at: '0' })
    await mail('early', { address_key: '1 early', not_before: at(1) })
    await receiver('2 idle', { next_at: '0' })
    await mail('ended', { address_key: '2 idle', state: 'sent', done_at: AT })
    const due = await inQueue((queries) => createMailOutbox(queries).due(AT, []))
    expect(due.map(({ id }) => id)).toEqual(addresses.slice(0, 10))
  })

  test.each([
    [{ end: 'sent' }, { state: 'sent', last_error: null, done_at: AT }, ['', 0]],
    [{ end: 'dropped' }, { state: 'dropped', last_error: null, done_at: AT }, ['', 0]],
    [
      { end: 'failed', word: '451' },
      { state: 'waiting', last_error: '451', done_at: null },
      [at(360_000), 2],
    ],
    [{ end: 'unclear' }, { state: 'waiting', last_error: null, done_at: null }, [at(HOUR), 0]],
  ] as const)('the outcome %j changes only this mail and this address', async (outcome, row, next) => {
    const [place, lease] = [{ id: 'ana@example.com' }, { claim: 'c', now: AT, until: at(5) }]
    const changed = { next_at: '1', failures: 1, claimed_by: 'c', claimed_until: at(1) }
    await receiver(place.id, changed)
    await receiver('sam@example.com', changed)
    await mail('own', { give_up_at: at(24 * HOUR) })
    await mail('second', { created_at: at(1), not_before: at(1) })
    await mail('other', { address_key: 'sam@example.com', state: 'sending' })
    await inQueue(async (queries) => {
      const outbox = createMailOutbox(queries)
      const message = await outbox.next(place, lease)
      if (message === null) throw new Error('no mail is due')
      const sent = { message, outcome, now: NOW }
      expect(await outbox.settle(place, { ...sent, claim: 'another' })).toBe(false)
      expect(await outbox.settle(place, { ...sent, claim: 'c' })).toBe(row.state !== 'waiting')
    })
    const mails = database.query.selectFrom('mail_messages').select(['state', 'last_error', 'done_at'])
    const untouched = { last_error: null, done_at: null }
    expect(await mails.orderBy('id').execute()).toEqual([
      { ...untouched, state: 'sending' },
      row,
      { ...untouched, state: 'waiting' },
    ])
    const receivers = database.query
      .selectFrom('mail_receivers')
      .select(['next_at', 'failures'])
      .orderBy('id')
    expect((await receivers.execute()).map((each) => [each.next_at, each.failures])).toEqual([next, ['1', 1]])
    await inQueue((queries) => createMailOutbox(queries).release(place, 'c'))
    const left = database.query.selectFrom('mail_receivers').select('claimed_by').orderBy('id')
    expect((await left.execute()).map(({ claimed_by }) => claimed_by)).toEqual([null, 'c'])
    expect((await stored()).find(({ id }) => id === 'other')?.state).toBe('sending')
  })

  test('if no owner received the mail about an expiry within a day, it is queued again', async () => {
    const other = await api.newOwner()
    const noted = async (as: Identity) => {
      const expiries = database.query.selectFrom('mail_expiries').where('tenant_id', '=', as.tenantId)
      return (await expiries.select('key_id').execute()).length
    }
    for (const { tenantId: tenant_id } of [owner, other])
      await database.query
        .insertInto('mail_expiries')
        .values({ tenant_id, key_id: 'k', expires_at: at(1) })
        .execute()
    await receiver('ana@example.com')
    await mail('of another kind', { give_up_at: AT })
    await mail('sent', { kind: 'key_expires', state: 'sent', done_at: at(1 - 24 * HOUR) })
    await sweep()
    expect(await noted(owner)).toBe(1)
    await mail('given up', { kind: 'key_expires', give_up_at: AT })
    await sweep()
    expect(await noted(owner)).toBe(1)
    await database.query
      .updateTable('mail_messages')
      .set({ done_at: at(-24 * HOUR) })
      .execute()
    await mail('given up too', { kind: 'key_expires', give_up_at: AT })
    await sweep()
    expect([await noted(owner), await noted(other)]).toEqual([0, 1])
  })

  test.each([
    ['five mails to its address', 5, { address_key: 'ana@example.com' }],
    ['two mails from its sender to its address', 2, { address_key: 'ana@example.com', made_by: 'sam' }],
    ['50 mails from its sender', 50, { made_by: 'sam' }],
    ['100 mails from its workspace', 100, {}],
  ])('an invitation is not sent after %s within a day', async (_which, most, alike) => {
    await receiver('ana@example.com')
    await receiver('other@example.com')
    const sent = { kind: 'proof', state: 'sent', address_key: 'other@example.com', ...alike } as const
    for (let index = 0; index < most; index += 1)
      await mail(`${index}`, { ...sent, created_at: at(1 - 24 * HOUR) })
    // Only invitations and proofs of an address count.
    await mail('of another kind', { ...sent, kind: 'waiting' })
    const invitation = { kind: 'invitation', madeBy: 'sam', topic: 'new' } as const
    await queue(invitation)
    expect(await queuedNow()).toBe(0)
    await database.query
      .updateTable('mail_messages')
      .set({ created_at: at(-24 * HOUR) })
      .where('id', '=', '0')
      .execute()
    await queue(invitation)
    expect(await queuedNow()).toBe(1)
    expect(
      await database.query.selectFrom('mail_messages').selectAll().where('topic', '=', 'new').execute(),
    ).toMatchObject([
      {
        attempts: 0,
        not_before: AT,
        created_at: AT,
        give_up_at: at(24 * HOUR),
        state: 'waiting',
        made_by: 'sam',
      },
    ])
  })
})
