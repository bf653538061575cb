import { request } from 'node:http'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditKeyIn } from '../src/maintenance.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import {
  type CallParts,
  expectError,
  type Identity,
  SECRET,
  signedHeaders,
  startTestApi,
  type TestApi,
} from './api.ts'
import { writeTouch } from './written-rules.ts'

const NEXT_SECRET = 'another shared secret of over 32 bytes'
const now = new Date('2026-01-31T12:00:00.000Z')
const nowSeconds = now.getTime() / 1000

type SignedParts = {
  method?: string
  path?: string
  body?: string
  secret?: string
  at?: number
  nonce?: string
  signedInAt?: string
}

function v2(identity: Identity, parts: SignedParts = {}): Record<string, string> {
  const { method = 'GET', path = '/api/v1/keys', body = '', secret = SECRET } = parts
  const facts = {
    method,
    path,
    body: Buffer.from(body),
    clientAddress: '',
    ...identity,
    signedInAt: parts.signedInAt ?? '',
  }
  const terms = { secret, nowSeconds: parts.at ?? nowSeconds, nonce: parts.nonce ?? randomToken() }
  return { 'x-signature-v2': signRequest(facts, terms) }
}

describe('the plain signature', () => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi('sqlite', { now: () => now, sharedSecrets: [NEXT_SECRET, SECRET] })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const listKeys = (headers: Record<string, string>) => api.call('listKeys', { headers })

  test('is accepted with and without its prefix, under each of the secrets', async () => {
    for (const secret of [SECRET, NEXT_SECRET]) {
      const hex = signCaller(owner, secret)
      for (const signature of [hex, `sha256=${hex}`]) {
        expect((await listKeys({ ...signedHeaders(owner), 'x-signature': signature })).status).toBe(200)
      }
    }
  })

  test.each(['x-user-id', 'x-tenant-id', 'x-signature'])('without %s the call is 401', async (name) => {
    const { [name]: _, ...headers } = signedHeaders(owner)
    expectError(await listKeys(headers), 401, 'Unauthorized', 'unauthorized')
    expectError(await listKeys({ ...headers, [name]: '' }), 401, 'Unauthorized')
  })

  test.each([
    ['another user', { 'x-user-id': 'someone-else' }],
    ['another tenant', { 'x-tenant-id': 'elsewhere' }],
    ['a shorter signature', { 'x-signature': 'sha256=abcd' }],
    ['another algorithm', { 'x-signature': `sha1=${'0'.repeat(40)}` }],
  ])('%s does not pass', async (_, header) => {
    expectError(await listKeys({ ...signedHeaders(owner), ...header }), 401, 'Unauthorized')
  })

  test.each([
    ['X-User-ID', 'X-User-ID'],
    ['X-User-ID', 'x_user_id'],
    ['X-Tenant-ID', 'X-TENANT-ID'],
    ['X-Signature', 'X_Signature'],
  ])('%s beside %s is 401, with any content', async (first, second) => {
    const signed = Object.entries(signedHeaders(owner)).filter(([name]) => name !== first.toLowerCase())
    const value = signedHeaders(owner)[first.toLowerCase()] ?? ''
    const headers = [...signed, [first, value], [second, value]].flat()
    expect(await rawStatus(`${api.address}/api/v1/keys`, headers)).toBe(401)
  })

  test('a bad signature is answered before a bad body', async () => {
    const response = await fetch(`${api.address}/api/v1/keys`, { method: 'POST', body: '{' })
    expect(response.status).toBe(401)
  })

  test('a second signature that is there has to be right', async () => {
    expect((await listKeys({ ...signedHeaders(owner), ...v2(owner) })).status).toBe(200)
    expectError(await listKeys({ ...signedHeaders(owner), ...v2(owner, { path: '/' }) }), 401, 'Unauthorized')
  })
})

describe('the second signature, where it is required', () => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi('sqlite', { now: () => now, requireSignatureV2: true })
    const body = { idp_user_id: 'user_v2', email: 'v2@example.com' }
    const nobody = { userId: '', tenantId: '' }
    const facts = { method: 'POST', path: '/api/v1/users/ensure', body: JSON.stringify(body) }
    const { json } = await api.call('ensureUser', { body, headers: v2(nobody, facts) })
    owner = { userId: json.user_id, tenantId: json.tenant_id }
  })
  afterAll(() => api.close())

  const listKeys = (headers: Record<string, string> = {}) => api.call('listKeys', { as: owner, headers })

  test('a call without it is 401, also on public endpoints', async () => {
    expectError(await listKeys(), 401, 'Unauthorized', 'unauthorized')
    const body = { idp_user_id: 'user_x', email: 'x@example.com' }
    expectError(await api.call('ensureUser', { body, headers: {} }), 401, 'Unauthorized')
  })

  test('health and readiness need none', async () => {
    expect((await api.call('getHealth')).status).toBe(200)
    expect((await api.call('getReadiness')).status).toBe(200)
  })

  test('a call with it passes once', async () => {
    const headers = v2(owner)
    expect((await listKeys(headers)).status).toBe(200)
    expectError(await listKeys(headers), 401, 'Unauthorized')
  })

  test.each<[string, SignedParts]>([
    ['another method', { method: 'POST' }],
    ['another path', { path: '/api/v1/bundles' }],
    ['a query that was not sent', { path: '/api/v1/keys?limit=1' }],
    ['another body', { body: '{}' }],
    ['another secret', { secret: NEXT_SECRET }],
    ['a time of 31 s ago', { at: nowSeconds - 31 }],
    ['a time in 31 s', { at: nowSeconds + 31 }],
  ])('one over %s is 401', async (_, parts) => {
    expectError(await listKeys(v2(owner, parts)), 401, 'Unauthorized')
  })

  test('one for another user is 401', async () => {
    expectError(await listKeys(v2({ ...owner, userId: 'other' })), 401, 'Unauthorized')
  })
})

const seconds = (age: number) => String(nowSeconds - age)
const importing = (more: object) => ({
  body: { bundle: `new/${randomToken()}`, entries: [{ name: 'URL', ...more }] },
})
const marking = (is_secret: boolean) => ({
  bundle: 'dev/marks',
  entries: [{ name: 'MARKED', value: 'known', is_secret }],
})
const invitation = () => ({ body: { email: `${randomToken()}@example.com`, role: 'member' } })

describe('an act of an owner that loosens something, where the sign-in may be 15 minutes old', () => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  let key: string
  let other: string
  beforeAll(async () => {
    api = await startTestApi('sqlite', { now: () => now, signInAgainSeconds: 900 })
    owner = await api.newOwner()
    const entries = [{ name: 'URL', value: 's3cret' }]
    const { json } = await api.call('importVariables', { as: owner, body: { bundle: 'dev/app', entries } })
    bundle = { id: json.bundle_id ?? '', name: 'dev/app' }
    key = (await api.call('listKeys', { as: owner })).json[0]?.id ?? ''
    other = (await api.call('createBundle', { as: owner, body: { name: 'dev/other' } })).json.id
    const machine = await api.call('createMachine', { as: owner, body: { name: 'ci' } })
    const params = { machine_id: machine.json.id, bundle_id: other }
    const granted = await send('grantBundle', { params, body: { scope: 'deliver' } }, seconds(0))
    expect(granted.status).toBe(200)
    await api.call('importVariables', { as: owner, body: marking(true) })
  })
  afterAll(() => api.close())

  /** A call of a web node. `signedInAt`: as the header says; `signed`: as the signature does. */
  const send = <N extends ApiEndpointName>(
    name: N,
    parts: CallParts,
    signedInAt: string,
    signed = signedInAt,
    as = owner,
  ) => {
    const { method, path } = apiEndpoints[name]
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => parts.params?.[param] ?? '')
    const body = JSON.stringify(parts.body)
    const signature = v2(as, { method, path: filled, body, signedInAt: signed })
    return api.call(name, { ...parts, as, headers: { ...signature, 'x-signed-in-at': signedInAt } })
  }
  const ofBundle = (body: object) => ({ params: { bundle_id: bundle.id }, body })

  test.each<[ApiEndpointName, () => CallParts]>([
    ['createMachine', () => ({ body: { name: randomToken(), audit: true } })],
    ['changeTenantPolicy', () => ({ body: { changers: 'member' } })],
    ['changeBundlePolicy', () => ofBundle({ remember_hours: 9 })],
    ['attachKey', () => ({ params: { bundle_id: other, key_id: key } })],
    ['createInvitation', invitation],
    ['duplicateBundle', () => ofBundle({ name: `copy/${randomToken()}`, own: ['URL'], public: ['URL'] })],
    ['importVariables', () => ({ body: marking(false) })],
  ])('%s asks for a new sign-in', async (name, parts) => {
    for (const refused of [
      send(name, parts(), seconds(901)),
      send(name, parts(), 'unknown'),
      api.call(name, { as: owner, ...parts(), headers: { 'x-signed-in-at': seconds(0) } }),
    ])
      expectError(
        await refused,
        403,
        'your sign-in was too long ago for this change: sign in again',
        'sign_in_again',
      )
    expect((await send(name, parts(), seconds(0), seconds(901))).status).toBe(401)
    expect((await send(name, parts(), seconds(899))).status).toBeLessThan(300)
  })

  test('other acts, and those of members, do not', async () => {
    const stricter = ofBundle({ approvers: 'owner' })
    expect((await send('changeBundlePolicy', stricter, seconds(901))).status).toBe(200)
    expect((await send('importVariables', importing({ from: bundle.name }), seconds(901))).status).toBe(200)
    const value = { params: { key_id: key }, body: { value: 'another' } }
    expect((await send('updateKey', value, seconds(901))).status).toBe(200)
    expect((await send('updateBundle', ofBundle({ description: 'new' }), seconds(901))).status).toBe(200)
    const typed = await send('importVariables', importing({ value: randomToken() }), seconds(901))
    expect(typed.status).toBeLessThan(300)
    const email = `${randomToken()}@example.com`.toLowerCase()
    const person = { idp_user_id: `user_${randomToken()}`, email, email_verified: true }
    const { json } = await api.call('ensureUser', { body: person })
    const invited = await send('createInvitation', { body: { email, role: 'member' } }, seconds(0))
    const own = { userId: json.user_id, tenantId: json.tenant_id }
    await api.call('acceptInvitation', { as: own, body: { token: invited.json.token } })
    const member = { ...own, tenantId: owner.tenantId }
    const created = await api.call('createBundle', { as: member, body: { name: `mine/${randomToken()}` } })
    const params = { bundle_id: created.json.id }
    const renamed = { params, body: { name: `mine/${randomToken()}` } }
    expect((await send('updateBundle', renamed, seconds(901), seconds(901), member)).status).toBe(200)
  })

  test('where the act is signed with a signing key, that takes its place', async () => {
    const database = await openDatabase(`${api.settings.dataDir}/keyferry.db`)
    await auditKeyIn(database, api.settings, new Date().toISOString())
    await writeTouch(database, { tenantId: owner.tenantId, at: null }, 'passkey')
    await database.close()
    const { failure } = await send('createInvitation', invitation(), seconds(901))
    const error = 'this has to be signed with a signing key, and you have none here: add one, or ask an owner'
    expect(failure).toMatchObject({ code: 'touch_required', error })
  })
})

function rawStatus(url: string, headers: string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: ['host', 'localhost', ...headers] }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    call.on('error', reject)
    call.end()
  })
}
