import { randomUUID } from 'node:crypto'
import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../plumbing/test/until.ts'
import { recordExpiring } from '../src/machines/storage/machine-tokens.ts'
import { withRecording } from '../src/maintenance.ts'
import type { ChangedKey } from '../src/webhooks/domain/webhook-body.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { eventsOf, newBundle, newMachine, type TestBundle, type TestMachine } from './machine-client.ts'
import { Receiver, verified } from './webhook-receiver.ts'

const URL_OF_NOBODY = 'https://192.0.2.1/'
const placeOf = ({ id: machine_id, tokenId: token_id }: TestMachine) => ({ machine_id, token_id })

describe.each(oneDatabase)('webhooks on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: TestBundle
  let receiver: Receiver
  // Far enough behind the system's clock that verifiers accept the time.
  let aheadMs = 0
  beforeAll(async () => {
    api = await startTestApi(kind, {
      now: () => new Date(Date.now() + aheadMs),
      privateTargets: ['127.0.0.1/32'],
    })
  })
  beforeEach(async () => {
    aheadMs = 0
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { A: 'one', B: 'two' })
    receiver = new Receiver()
    await receiver.start()
  })
  afterEach(() => receiver.stop())
  afterAll(() => api.close())

  // Without a choice of events, it gets test messages alone.
  const webhook = async (draft: object = {}) => {
    const body = { url: receiver.url, events: ['webhook.disabled'], ...draft }
    const made = await api.call('createWebhook', { as: owner, body })
    expect(made.failure).toBeNull()
    return made.json
  }
  const shown = async (id: string) =>
    (await api.call('getWebhook', { as: owner, params: { webhook_id: id } })).json
  const messages = async (id: string, query: Record<string, string> = {}) =>
    (await api.call('listWebhookMessages', { as: owner, params: { webhook_id: id }, query })).json
  const change = (name: string, value: string) =>
    api.call('updateKey', { as: owner, params: { key_id: bundle.keyIds[name] ?? '' }, body: { value } })
  const appended = () =>
    eventually(async () => {
      const { json } = await api.call('listAudit', { as: owner })
      expect(json.every((entry) => entry.sealed)).toBe(true)
    })
  /** The last change of each key that the messages about a bundle name. */
  const lastChanges = (bundleId: string) => {
    const bodies = receiver.bodies
      .map(({ data }) => data as { seq: number; bundle: { id: string }; keys: ChangedKey[] })
      .filter((data) => data.bundle.id === bundleId)
      .toSorted((one, other) => one.seq - other.seq)
    const last = new Map(bodies.flatMap(({ keys }) => keys.map((key) => [key.name, key])))
    return [...last.values()].toSorted((one, other) => one.name.localeCompare(other.name))
  }
  const arrived = (count: number) => eventually(() => expect(receiver.received).toHaveLength(count))
  const settled = (id: string, state: string) =>
    eventually(async () => expect((await messages(id))[0]?.state).toBe(state))

  test('a webhook is created, changed and deleted, and each change is an event that names only the host', async () => {
    const { secret, ...made } = await webhook({
      url: 'https://192.0.2.1/path-with-a-token',
      events: ['bundle.changed'],
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made).toMatchObject({ events: ['bundle.changed'], bundle_ids: [], is_active: true, waiting: 0 })
    const params = { webhook_id: made.id }
    const body = { bundle_ids: [bundle.id], is_active: false }
    const changed = await api.call('updateWebhook', { as: owner, params, body })
    expect(changed.json).toEqual({ ...made, ...body })
    expect((await api.call('listWebhooks', { as: owner })).json).toEqual([changed.json])
    expect((await api.call('deleteWebhook', { as: owner, params })).json).toEqual({ ok: true })
    expectError(await api.call('getWebhook', { as: owner, params }), 404, 'webhook not found', 'not_found')
    for (const action of ['webhook.created', 'webhook.changed', 'webhook.deleted'])
      expect(await eventsOf(api, owner, action)).toMatchObject([
        { target: { kind: 'webhook', id: made.id, name: '192.0.2.1' } },
      ])
    const log = await api.call('listAudit', { as: owner })
    expect(log.text).not.toContain('path-with-a-token')
  })

  test.each([
    ['http://hooks.example.com/', 'target_refused'],
    ['https://10.0.0.1/', 'target_refused'],
    ['https://169.254.169.254/', 'target_refused'],
    ['https://user:password@hooks.example.com/', 'target_refused'],
    ['no address', 'target_refused'],
    ['', 'invalid'],
    [`https://a.example/${'x'.repeat(WEBHOOK_LIMITS.urlLength)}`, 'invalid'],
  ])('the address %s is refused', async (url, code) => {
    const made = await api.call('createWebhook', { as: owner, body: { url } })
    expect([made.status, made.failure?.code]).toEqual([400, code])
    const { id } = await webhook({ url: URL_OF_NOBODY })
    const changed = await api.call('updateWebhook', { as: owner, params: { webhook_id: id }, body: { url } })
    expect([changed.status, changed.failure?.code]).toEqual([400, code])
  })

  test('events and bundles that do not exist are refused, and so is one webhook too many', async () => {
    const create = (draft: object) =>
      api.call('createWebhook', { as: owner, body: { url: URL_OF_NOBODY, ...draft } })
    expectError(await create({ events: ['key.seen'] }), 400, 'events must be types of events', 'invalid')
    expectError(await create({ bundle_ids: [randomUUID()] }), 404, 'bundle not found')
    const foreign = await newBundle(api, await api.newOwner(), { A: '1' })
    expectError(await create({ bundle_ids: [foreign.id] }), 404, 'bundle not found')
    for (let count = 0; count < WEBHOOK_LIMITS.webhooks; count += 1)
      expect((await create({})).status).toBe(201)
    const message = 'a workspace can have 20 webhooks: delete one that is not used'
    expectError(await create({}), 409, message, 'conflict')
  })

  test('the first entries of a day make a message with the note of the last of them', async () => {
    await appended()
    await webhook({ events: ['audit.checkpoint'] })
    await appended()
    aheadMs += 24 * 60 * 60_000
    await change('A', 'of the next day')
    await appended()
    await arrived(1)
    const [newest] = (await api.call('listAudit', { as: owner, query: { action: 'key.changed' } })).json
    expect(receiver.bodies).toMatchObject([
      {
        type: 'audit.checkpoint',
        data: { seq: newest?.seq, note: expect.stringContaining(`\n${newest?.seq}\n`) },
      },
    ])
  })

  test('a changed value makes a signed message that names the keys and contains no value', async () => {
    const { id, secret } = await webhook({ events: ['bundle.changed'] })
    await change('A', 'a new value')
    await appended()
    await arrived(1)
    const [first] = receiver.received
    if (!first) throw new Error('nothing arrived')
    aheadMs = 0
    expect(first.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(first.body).not.toContain('a new value')
    expect(JSON.parse(first.body)).toMatchObject({
      type: 'bundle.changed',
      data: {
        bundle: { id: bundle.id, name: bundle.name },
        keys: [{ name: 'A', change: 'value', version: 2 }],
        actor: { kind: 'user', id: owner.userId },
      },
    })
    expect(JSON.parse(first.body).data).not.toHaveProperty('keys_truncated')
    expect(verified(first, secret)).toEqual(JSON.parse(first.body))
    expect(() => verified(first, `whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow(/signature/)
    expect(() => verified({ ...first, body: first.body.replace('"A"', '"B"') }, secret)).toThrow(/signature/)
    await settled(id, 'done')
    expect(await messages(id)).toMatchObject([{ attempts: 1, last_status: 204, last_error: null }])
    expect(await shown(id)).toMatchObject({ failing_since: null, waiting: 0 })
  })

  test('each change of what a bundle delivers is in a message of its bundle', async () => {
    await webhook({ events: ['bundle.changed'] })
    const params = { bundle_id: bundle.id, key_id: bundle.keyIds['A'] ?? '' }
    const other = await newBundle(api, owner, { C: 'three' })
    await api.call('attachKey', {
      as: owner,
      params: { ...params, bundle_id: other.id },
      body: { as: 'ALIAS' },
    })
    await api.call('changeAttachment', { as: owner, params, body: { as: 'RENAMED' } })
    await change('A', 'changed')
    await api.call('restoreKeyVersion', { as: owner, params, body: { version: 1 } })
    await api.call('detachKey', { as: owner, params: { ...params, key_id: bundle.keyIds['B'] ?? '' } })
    await api.call('deleteKey', { as: owner, params: { key_id: other.keyIds['C'] ?? '' } })
    await eventually(() => {
      expect(lastChanges(bundle.id)).toEqual([
        { name: 'B', change: 'detached', version: null },
        { name: 'RENAMED', change: 'value', version: 3 },
      ])
      expect(lastChanges(other.id)).toEqual([
        { name: 'ALIAS', change: 'value', version: 3 },
        { name: 'C', change: 'detached', version: null },
      ])
    })
  })

  test('a webhook gets the types and bundles that it asked for', async () => {
    await webhook({
      bundle_ids: [bundle.id],
      events: ['bundle.changed', 'bundle.deleted', 'key.changed'],
    })
    const typed = await webhook({ events: ['bundle.created'] })
    const other = await newBundle(api, owner, { C: 'three' })
    await api.call('deleteBundle', { as: owner, params: { bundle_id: other.id } })
    await change('A', 'changed')
    await appended()
    await eventually(() =>
      expect(receiver.bodies.map(({ type }) => type).toSorted()).toEqual([
        'bundle.changed',
        'bundle.created',
        'key.changed',
      ]),
    )
    expect((await messages(typed.id)).map(({ type }) => type)).toEqual(['bundle.created'])
  })

  test('a hundred changes make fewer messages, which name the last version', async () => {
    await webhook({ events: ['bundle.changed'] })
    for (let count = 0; count < 5; count += 1)
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => change(index % 2 ? 'A' : 'B', `${count} ${index}`)),
      )
    const last = await Promise.all(
      ['A', 'B'].map(async (name) => {
        const params = { key_id: bundle.keyIds[name] ?? '' }
        const { version } = (await api.call('getKey', { as: owner, params })).json
        return { name, change: 'value', version }
      }),
    )
    await eventually(() => expect(lastChanges(bundle.id)).toEqual(last))
    expect(receiver.received.length).toBeLessThan(100)
  })

  test('a change during a slow call makes another message', async () => {
    const { id } = await webhook({ events: ['bundle.changed'] })
    const waiting: (() => void)[] = []
    receiver.answer = (response) => void waiting.push(() => response.writeHead(200).end())
    await change('A', 'first')
    await appended()
    await eventually(() => expect(waiting).toHaveLength(1))
    expect((await messages(id))[0]?.state).toBe('sending')
    await change('A', 'second')
    await appended()
    for (const answer of waiting.splice(0)) answer()
    receiver.answer = (response) => response.writeHead(200).end()
    await arrived(2)
    expect(receiver.bodies.map(({ data }) => data['keys'])).toMatchObject([
      [{ version: 2 }],
      [{ version: 3 }],
    ])
    expect(new Set(receiver.ids).size).toBe(2)
  })

  test('a failed call is repeated by the schedule, with the same id and a new signature', async () => {
    const { id, secret } = await webhook()
    receiver.answer = (response) => response.writeHead(500).end()
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await arrived(1)
    await eventually(async () => expect((await shown(id)).failures).toBe(1))
    const failing = await shown(id)
    const waitMs = Date.parse(failing.next_at ?? '') - Date.parse(failing.failing_since ?? '')
    expect([waitMs >= 4_000, waitMs <= 6_100]).toEqual([true, true])
    expect(await messages(id)).toMatchObject([
      { state: 'waiting', last_status: 500, last_error: 'http', next_at: failing.next_at },
    ])
    receiver.answer = (response) => response.writeHead(204).end()
    aheadMs += 6_100
    await arrived(2)
    expect(receiver.ids[0]).toBe(receiver.ids[1])
    const [first, second] = receiver.received
    expect(first?.headers['webhook-signature']).not.toBe(second?.headers['webhook-signature'])
    if (second) verified(second, secret)
    await eventually(async () =>
      expect(await shown(id)).toMatchObject({ failing_since: null, failures: 0, next_at: null }),
    )
  })

  test('while calls fail, only the oldest message is tried; after a success the rest follow', async () => {
    const { id } = await webhook({ events: ['bundle.created'] })
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '120' }).end()
    for (let count = 0; count < 3; count += 1) await newBundle(api, owner, { A: 'x' })
    await arrived(1)
    await eventually(async () => expect((await shown(id)).waiting).toBe(3))
    const later = new Receiver()
    await later.start()
    onTestFinished(() => later.stop())
    const other = await webhook({ url: later.url })
    aheadMs += 60_000
    // A message that is due now is sent in the look that would also find one of these.
    await api.call('testWebhook', { as: owner, params: { webhook_id: other.id } })
    await eventually(() => expect(later.received).toHaveLength(1))
    expect(receiver.received).toHaveLength(1)
    receiver.answer = (response) => response.writeHead(204).end()
    aheadMs += 61_000
    await arrived(4)
    expect(receiver.ids[0]).toBe(receiver.ids[1])
    expect(new Set(receiver.ids).size).toBe(3)
  })

  test('410 turns a webhook off at once, with an event and a reason, and turning it on clears that', async () => {
    const { id } = await webhook()
    const other = await webhook({ url: URL_OF_NOBODY, events: ['webhook.disabled'] })
    receiver.answer = (response) => response.writeHead(410).end()
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await eventually(async () =>
      expect(await shown(id)).toMatchObject({ is_active: false, ended_reason: 'gone' }),
    )
    await eventually(async () =>
      expect(await messages(other.id)).toMatchObject([{ type: 'webhook.disabled' }]),
    )
    expect(await eventsOf(api, owner, 'webhook.disabled')).toMatchObject([
      { data: { reason: 'gone' }, actor: { kind: 'server' } },
    ])
    const params = { webhook_id: id }
    expectError(
      await api.call('testWebhook', { as: owner, params }),
      409,
      'this webhook is off: turn it on first',
    )
    await api.call('updateWebhook', { as: owner, params, body: { is_active: true } })
    expect(await shown(id)).toMatchObject({ is_active: true, ended_reason: null, failing_since: null })
  })

  test('five days of failures turn a webhook off', async () => {
    const { id } = await webhook()
    receiver.answer = (response) => response.writeHead(500).end()
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await arrived(1)
    await eventually(async () => expect((await shown(id)).failures).toBe(1))
    aheadMs += WEBHOOK_TIMES.triedSeconds * 1_000 + 1_000
    await eventually(async () =>
      expect(await shown(id)).toMatchObject({ is_active: false, ended_reason: 'failing' }),
    )
    expect(await messages(id)).toMatchObject([{ state: 'failed' }])
  })

  test('after a rotation both secrets sign for a day, then the new one alone', async () => {
    const { id, secret: old } = await webhook()
    const params = { webhook_id: id }
    const rotated = await api.call('rotateWebhookSecret', { as: owner, params })
    expect((await shown(id)).old_secret_until).toBe(rotated.json.old_secret_until)
    await api.call('testWebhook', { as: owner, params })
    await arrived(1)
    const [first] = receiver.received
    if (!first) throw new Error('nothing arrived')
    verified(first, old)
    verified(first, rotated.json.secret)
    await settled(id, 'done')
    aheadMs += WEBHOOK_TIMES.overlapSeconds * 1_000 + 1_000
    expect((await shown(id)).old_secret_until).toBeNull()
    await api.call('testWebhook', { as: owner, params })
    await arrived(2)
    expect(receiver.received[1]?.headers['webhook-signature']?.toString().split(' ')).toHaveLength(1)
  })

  test('a message is sent again with its id and body', async () => {
    const { id } = await webhook()
    const params = { webhook_id: id }
    const sent = await api.call('testWebhook', { as: owner, params })
    await settled(id, 'done')
    const place = { ...params, message_id: sent.json.message_id }
    const again = await api.call('resendWebhookMessage', { as: owner, params: place })
    expect([again.status, again.json]).toEqual([202, sent.json])
    await arrived(2)
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
    expect(receiver.ids).toEqual([sent.json.message_id, sent.json.message_id])
    const unknown = await api.call('resendWebhookMessage', {
      as: owner,
      params: { ...place, message_id: randomUUID() },
    })
    expectError(unknown, 404, 'message not found')
  })

  test('a failing webhook whose next call is due now names no time for it', async () => {
    const { id } = await webhook()
    receiver.answer = (response) => response.writeHead(500).end()
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await eventually(async () => expect((await shown(id)).next_at).not.toBeNull())
    // The call that is asked for stays open, so that nobody has settled it yet.
    receiver.answer = () => {}
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    expect(await shown(id)).toMatchObject({ failures: 1, next_at: null })
  })

  test('the log is listed by state', async () => {
    const { id } = await webhook()
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await settled(id, 'done')
    expect(await messages(id, { state: 'done' })).toHaveLength(1)
    expect(await messages(id, { state: 'failed' })).toHaveLength(0)
    const odd = await api.call('listWebhookMessages', {
      as: owner,
      params: { webhook_id: id },
      query: { state: 'x' },
    })
    expectError(odd, 400, 'state must be one of waiting, sending, done, failed')
  })

  test.each([
    [
      'a redirect',
      'http',
      (receiving: Receiver) => {
        receiving.answer = (response) =>
          response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
      },
    ],
    [
      'a broken connection',
      'refused',
      (receiving: Receiver) => {
        receiving.answer = (response) => response.destroy()
      },
    ],
    ['no receiver', 'refused', (receiving: Receiver) => receiving.stop()],
  ])('%s is a failure with its own reason', async (_what, word, prepare) => {
    const { id } = await webhook()
    prepare(receiver)
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await eventually(async () =>
      expect(await messages(id)).toMatchObject([{ state: 'waiting', last_error: word }]),
    )
  })

  test('a huge answer counts by its status, and its body is not read', async () => {
    const { id } = await webhook()
    let written = 0
    receiver.answer = (response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    await api.call('testWebhook', { as: owner, params: { webhook_id: id } })
    await settled(id, 'done')
    expect(written).toBeLessThan(16 * 1_024 * 1_024)
  })

  test('a token that expires soon makes one message; one that was ended or replaced makes none', async () => {
    const { id } = await webhook({ events: ['token.expiring', 'token.ended'] })
    const soon = await newMachine(api, owner, { expires_in_days: 1 })
    const ended = await newMachine(api, owner, { expires_in_days: 1 })
    const replaced = await newMachine(api, owner, { expires_in_days: 1 })
    await api.call('endMachineToken', { as: owner, params: placeOf(ended) })
    await api.call('rotateMachineToken', { as: owner, params: placeOf(replaced), body: {} })
    await arrived(1)
    aheadMs += 13 * 60 * 60 * 1_000
    // As two nodes that look at the same time.
    const now = new Date(Date.now() + aheadMs).toISOString()
    await withRecording(api.settings, (queries) =>
      Promise.all([recordExpiring(queries, now), recordExpiring(queries, now)]),
    )
    // The server appends soon after it makes a change itself.
    await newBundle(api, owner, { C: 'x' })
    await arrived(3)
    expect(receiver.bodies[0]).toMatchObject({ type: 'token.ended', data: { machine: { id: ended.id } } })
    const machines = receiver.bodies.slice(1).map(({ data }) => (data['machine'] as { id: string }).id)
    expect(machines.toSorted()).toEqual([soon.id, replaced.id].toSorted())
    expect((await messages(id)).filter(({ type }) => type === 'token.expiring')).toHaveLength(2)
  })
})
