import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signedEvent } from '../../test/identity-event.ts'
import { RecordingApi, sendJson } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'
import { idpUserId } from './idp-user-id.ts'

const WEBHOOK_SECRET = `whsec_${Buffer.from('a webhook secret of the tests').toString('base64')}`
const CLERK = {
  mode: 'clerk',
  issuer: 'https://clerk.example.com',
  jwtKey: null,
  publishableKey: 'pk',
  secretKey: null,
  apiUrl: 'http://127.0.0.1:1',
  authorizedParties: [],
} as const

let api: RecordingApi
let web: Web

beforeEach(async () => {
  api = new RecordingApi()
  web = await startTestWeb(await api.listen(), { identity: CLERK, identityWebhookSecret: WEBHOOK_SECRET })
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

type Sent = { id?: string; at?: Date; secret?: string; prefix?: string; tamper?: (body: string) => string }

async function answerTo(event: unknown, { tamper, ...sent }: Sent = {}): Promise<Response> {
  const { body, headers } = signedEvent(event, { secret: WEBHOOK_SECRET, ...sent })
  const init = { method: 'POST', headers, body: tamper ? tamper(body) : body }
  return await fetch(`${web.address}/webhooks/identity`, init)
}

async function send(event: unknown, sent: Sent = {}): Promise<number> {
  return (await answerTo(event, sent)).status
}

const DELETED = { type: 'user.deleted', data: { id: 'user_2aXf', deleted: true } }
const UPDATED = {
  type: 'user.updated',
  data: {
    id: 'user_2aXf',
    primary_email_address_id: 'b',
    email_addresses: [
      { id: 'a', email_address: 'old@example.com' },
      { id: 'b', email_address: 'new@example.com', verification: { status: 'verified' } },
    ],
    updated_at: 1_769_860_800_000,
  },
}

const forwarded = () => api.calls.map(({ method, path, body }) => [method, path, JSON.parse(String(body))])

describe('an event of the identity provider', () => {
  test('user updated: the primary e-mail is taken over', async () => {
    expect(await send(UPDATED)).toBe(200)
    const as_of = '2026-01-31T12:00:00.000Z'
    const change = { email: 'new@example.com', email_verified: true, as_of }
    expect(forwarded()).toEqual([['PUT', '/api/v1/users/user_2aXf', change]])
  })

  test('user updated, in plain words', async () => {
    const timestamp = '2026-01-31T13:00:00+01:00'
    await send({ type: 'user.updated', timestamp, data: { id: 'user_2aXf', email: 'new@example.com' } })
    const as_of = '2026-01-31T12:00:00.000Z'
    const change = { email: 'new@example.com', email_verified: false, as_of }
    expect(forwarded()).toEqual([['PUT', '/api/v1/users/user_2aXf', change]])
  })

  test('an event without a timestamp counts from the time it was sent', async () => {
    const at = new Date(Math.floor(Date.now() / 1_000) * 1_000)
    await send({ type: 'user.updated', data: { id: 'user_2aXf', email: 'new@example.com' } }, { at })
    expect(forwarded()[0]?.[2]).toMatchObject({ as_of: at.toISOString() })
  })

  const noon = '2026-01-31T12:00:00.000Z'
  test.each([
    ['milliseconds', 1_769_860_800_000],
    ['seconds', 1_769_860_800],
    ['seconds as a text', '1769860800'],
    ['ISO 8601', '2026-01-31T13:00:00+01:00'],
  ])('a time in %s', async (_unit, updated_at) => {
    const data = { id: 'user_2aXf', email: 'new@example.com', email_verified: 'true', updated_at }
    expect(await send({ type: 'user.updated', data })).toBe(200)
    expect(forwarded()[0]?.[2]).toEqual({ email: 'new@example.com', email_verified: true, as_of: noon })
  })

  test('a time in the future does not outdate later events', async () => {
    const data = { id: 'user_2aXf', email: 'new@example.com', updated_at: '2999-01-01T00:00:00Z' }
    expect(await send({ type: 'user.updated', data })).toBe(200)
    expect(Date.parse(forwarded()[0]?.[2].as_of) - Date.now()).toBeLessThanOrEqual(5 * 60_000)
  })

  test.each([
    ['as Clerk sends it', DELETED.data],
    ['without an e-mail address', { id: 'user_2aXf', email: null }],
    [
      'with texts that nothing needs',
      { id: 'user_2aXf', email: 'none', email_verified: '?', updated_at: 'now' },
    ],
  ])('user deleted, %s: the user is inactive', async (_how, data) => {
    expect(await send({ type: 'user.deleted', timestamp: 'today', data })).toBe(200)
    expect(forwarded()).toEqual([['PUT', '/api/v1/users/user_2aXf', { is_active: false }]])
  })

  test('user updated without an e-mail address changes nothing', async () => {
    expect(await send({ type: 'user.updated', data: { id: 'user_2aXf', email: null } })).toBe(200)
    expect(api.calls).toEqual([])
  })

  test('headers named svix are taken too', async () => {
    expect(await send(DELETED, { prefix: 'svix' })).toBe(200)
    expect(api.calls).toHaveLength(1)
  })

  test('other events, and events of unknown users, are accepted', async () => {
    expect(await send({ type: 'session.created', data: { id: 'sess_1' } })).toBe(200)
    expect(await send({ type: 'ping' })).toBe(200)
    expect(api.calls).toEqual([])
    api.answer = (_call, response) => sendJson(response, 404, { error: 'User not found', code: 'not_found' })
    expect(await send(DELETED)).toBe(200)
  })

  test("carries this layer's signature, without a user", async () => {
    await send(DELETED)
    expect(api.calls[0]?.headers['x-signature-v2']).toMatch(/^t=\d+;n=/)
    expect(api.calls[0]?.headers['x-user-id']).toBeUndefined()
  })
})

describe('refused without effect', () => {
  test.each<[string, Sent]>([
    ['another secret', { secret: `whsec_${Buffer.from('the secret of another sender').toString('base64')}` }],
    ['a changed body', { tamper: (body) => body.replace('user_2aXf', 'user_2aXg') }],
    ['six minutes old', { at: new Date(Date.now() - 6 * 60_000) }],
    ['six minutes early', { at: new Date(Date.now() + 6 * 60_000) }],
    ['headers of another name', { prefix: 'x-webhook' }],
  ])('%s', async (_what, sent) => {
    expect(await send(DELETED, sent)).toBe(401)
    expect(api.calls).toEqual([])
  })

  test('unsigned', async () => {
    const answer = await fetch(`${web.address}/webhooks/identity`, {
      method: 'POST',
      body: JSON.stringify(DELETED),
    })
    expect(answer.status).toBe(401)
    expect(api.calls).toEqual([])
  })

  test.each<[string, unknown]>([
    ['the event must be an object', []],
    ["the event's type is missing or invalid", { data: { id: 'user_2aXf' } }],
    ["the event's data is missing or invalid", { type: 'user.deleted' }],
    ["the event's data.id is missing or invalid", { type: 'user.deleted', data: { id: 7 } }],
    ["the event's data.email is missing or invalid", updatedWith({ email: 'none' })],
    ["the event's data.email_verified is missing or invalid", updatedWith({ email_verified: 2 })],
    ["the event's data.updated_at is missing or invalid", updatedWith({ updated_at: 'yesterday' })],
    ["the event's timestamp is missing or invalid", { ...updatedWith({}), timestamp: '31.1.2026' }],
  ])('%s', async (error, event) => {
    const answer = await answerTo(event)
    expect([answer.status, await answer.json()]).toEqual([400, { error, code: 'invalid' }])
    expect(api.calls).toEqual([])
  })
})

test('a repeated event is accepted and not applied again', async () => {
  expect(await send(DELETED, { id: 'msg_again' })).toBe(200)
  expect(await send(DELETED, { id: 'msg_again' })).toBe(200)
  expect(api.calls).toHaveLength(1)
})

test('of an event that arrives many times at once, no answer says more than its own attempt', async () => {
  let calls = 0
  api.answer = (_call, response) => {
    calls += 1
    sendJson(response, calls === 1 ? 503 : 200, { ok: true })
  }
  const statuses = await Promise.all(Array.from({ length: 5 }, () => send(DELETED, { id: 'msg_at_once' })))
  expect(statuses.filter((status) => status === 503)).toHaveLength(1)
  expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  expect(await send(DELETED, { id: 'msg_at_once' })).toBe(200)
})

function updatedWith(data: Record<string, unknown>) {
  return { type: 'user.updated', data: { id: 'user_2aXf', email: 'new@example.com', ...data } }
}

test('an event that failed may be sent again', async () => {
  api.answer = (_call, response) => sendJson(response, 503, { error: 'unavailable', code: 'unavailable' })
  expect(await send(DELETED, { id: 'msg_later' })).toBe(503)
  api.answer = (_call, response) => sendJson(response, 200, { ok: true })
  expect(await send(DELETED, { id: 'msg_later' })).toBe(200)
})

test('without a secret there is no such route', async () => {
  const other = await startTestWeb('http://127.0.0.1:1', { identity: CLERK })
  const answer = await fetch(`${other.address}/webhooks/identity`, { method: 'POST', body: '{}' })
  await other.close()
  expect(answer.status).toBe(404)
})

test('the issuer distinguishes equal ids of two providers', () => {
  const id = idpUserId('https://idp.example.com', 'sam')
  expect(id).toMatch(/^user_[0-9a-f]{64}$/)
  expect(idpUserId('https://other.example.com', 'sam')).not.toBe(id)
  expect(idpUserId('https://idp.example.com/', 'sam')).toBe(id)
  expect(idpUserId('https://idp.example.com/realm', 'sam')).not.toBe(id)
  expect(idpUserId('https://idp.example.com', 'user_2aXf')).toBe('user_2aXf')
})
