import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { resetPassword } from '../src/accounts/operating.ts'
import {
  expectError,
  type Identity,
  oneDatabase,
  SECRET,
  SETUP_CODE,
  startTestApi,
  type TestApi,
} from './api.ts'

const EMAIL = 'sam@example.com'
const OTHER_EMAIL = 'kim@example.com'
const PASSWORD = 'correct horse battery'
const PATH = '/api/v1/auth/passkey-login'
const SITE = { origin: 'https://keyferry.example.com', rpId: 'keyferry.example.com' }
const newChallenge = () => randomToken()

type Device = SoftwarePasskey

describe.each(oneDatabase)('passkeys on %s', (kind) => {
  let api: TestApi
  let now = new Date()
  let peer = 0
  let sam: Identity
  let kim: Identity

  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => now, trustProxy: ['127.0.0.1'] })
    const account = { setup_code: SETUP_CODE, email: EMAIL, password: PASSWORD }
    sam = identity((await api.call('setUpAccount', { body: account })).json)
    const invitation = { email: OTHER_EMAIL, role: 'member' }
    const { token } = (await api.call('createInvitation', { as: sam, body: invitation })).json
    kim = identity((await api.call('joinWithAccount', { body: { token, password: PASSWORD } })).json)
  })
  afterAll(() => api.close())

  // Each test begins without passkeys.
  beforeEach(async () => {
    now = new Date(now.getTime() + 24 * 60 * 60_000 + 1)
    for (const as of [sam, kim]) {
      const { json } = await api.call('listPasskeys', { as })
      for (const { id } of json.passkeys) expect((await remove(as, id)).status).toBe(200)
    }
  })

  const address = () => {
    peer += 1
    return `198.51.${Math.floor(peer / 250)}.${peer % 250}`
  }
  const logIn = (email = EMAIL, password = PASSWORD) =>
    api.call('logIn', { body: { email, password }, headers: { 'x-forwarded-for': address() } })

  async function add(as: Identity, { name = 'Laptop', device = new SoftwarePasskey(), counter = 0 } = {}) {
    const challenge = newChallenge()
    const passkey = device.create({ ...SITE, challenge, counter })
    const ceremony = { challenge, origin: SITE.origin, rp_id: SITE.rpId }
    return { device, answer: await api.call('addPasskey', { as, body: { name, passkey, ceremony } }) }
  }

  const remove = (as: Identity, passkey_id: string, current_password = PASSWORD) =>
    api.call('removePasskey', { as, params: { passkey_id }, body: { current_password } })

  const second = (as: Identity, after_password: boolean, current_password = PASSWORD) =>
    api.call('changeSecondFactor', { as, body: { after_password, current_password } })

  type Changes = Partial<Parameters<Device['use']>[0]> & { userId?: string | null; asked?: object }

  /** Sign in; `changes` make the response differ from what was asked. */
  async function signIn(device: Device, { userId = null, asked = {}, ...changes }: Changes = {}) {
    const challenge = newChallenge()
    const passkey = device.use({ ...SITE, challenge, ...changes })
    const ceremony = { challenge, origin: SITE.origin, rp_id: SITE.rpId, ...asked }
    return await signInWith({ passkey, ceremony, user_id: userId })
  }

  const signInWith = (body: object) =>
    api.call('logInWithPasskey', { body, headers: layerHeaders(body, { now, address: address() }) })

  test('a new account has none, and is asked for none', async () => {
    const { json } = await api.call('listPasskeys', { as: sam })
    expect(json).toEqual({ passkeys: [], after_password: false })
    expect((await logIn()).status).toBe(200)
  })

  test('adding one needs the password first', async () => {
    const prepare = (current_password: string) =>
      api.call('preparePasskey', { as: sam, body: { current_password } })
    const wrong = await prepare('wrong')
    expectError(wrong, 400, 'the current password is wrong', 'invalid')
    expect(wrong.failure?.details).toEqual({ field: 'current_password' })
    const { device } = await add(sam)
    expect((await prepare(PASSWORD)).json).toEqual({
      user_handle: Buffer.from(sam.userId).toString('base64url'),
      user_name: EMAIL,
      exclude: [device.id],
    })
  })

  test('it is listed, renamed and removed', async () => {
    const { answer } = await add(sam)
    expect(answer.status).toBe(201)
    const { id } = answer.json
    expect((await api.call('listPasskeys', { as: sam })).json.passkeys).toEqual([
      { id, name: 'Laptop', created_at: now.toISOString(), last_used_at: null },
    ])
    const params = { passkey_id: id }
    const renamed = await api.call('renamePasskey', { as: sam, params, body: { name: '  Work laptop ' } })
    expect(renamed.json.name).toBe('Work laptop')
    const stale = { name: 'Phone', expected: { name: 'Laptop' } }
    const refused = await api.call('renamePasskey', { as: sam, params, body: stale })
    expect([refused.status, refused.failure?.details]).toEqual([
      409,
      { fields: ['name'], current: { name: 'Work laptop' } },
    ])
    expect((await api.call('renamePasskey', { as: sam, params, body: { name: ' ' } })).status).toBe(400)
    expectError(await remove(sam, id, 'wrong'), 400, 'the current password is wrong')
    expect((await remove(sam, id)).status).toBe(200)
    expect((await remove(sam, id)).status).toBe(404)
  })

  test("another person's passkey is not found", async () => {
    const { id } = (await add(sam)).answer.json
    const renamed = await api.call('renamePasskey', {
      as: kim,
      params: { passkey_id: id },
      body: { name: 'Mine' },
    })
    expectError(renamed, 404, 'passkey not found', 'not_found')
    expectError(await remove(kim, id), 404, 'passkey not found', 'not_found')
    expect((await api.call('listPasskeys', { as: sam })).json.passkeys).toHaveLength(1)
  })

  test.each([
    ['another origin', { origin: 'https://keyferry.example.org' }],
    ['another host name', { rp_id: 'example.org' }],
    ['another challenge', { challenge: newChallenge() }],
  ])('a passkey made for %s is not added', async (_, other) => {
    const challenge = newChallenge()
    const passkey = new SoftwarePasskey().create({ ...SITE, challenge })
    const ceremony = { challenge, origin: SITE.origin, rp_id: SITE.rpId, ...other }
    const answer = await api.call('addPasskey', { as: sam, body: { name: 'Laptop', passkey, ceremony } })
    expectError(answer, 400, 'the passkey could not be verified', 'invalid')
  })

  test('one credential belongs to one account', async () => {
    const { device } = await add(sam)
    expectError((await add(kim, { device })).answer, 409, 'this passkey was added already', 'conflict')
  })

  test('an account has at most twenty', async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, async () => (await add(sam)).answer.status))
    expect(answers.filter((status) => status === 201)).toHaveLength(20)
    expect((await api.call('preparePasskey', { as: sam, body: { current_password: PASSWORD } })).status).toBe(
      409,
    )
  })

  describe('alone', () => {
    test('it signs in, and the use is noted', async () => {
      const { device } = await add(sam)
      const { status, json } = await signIn(device, {
        userHandle: Buffer.from(sam.userId).toString('base64url'),
      })
      expect([status, json.user_id]).toEqual([200, sam.userId])
      const [passkey] = (await api.call('listPasskeys', { as: sam })).json.passkeys
      expect(passkey?.last_used_at).toBe(now.toISOString())
    })

    test.each([
      ['for another origin', { origin: 'https://keyferry.example.org' }],
      ['for another host name', { rpId: 'example.org' }],
      ['for another challenge', { challenge: newChallenge() }],
      ['without user verification', { isVerified: false }],
      ['with the id of another user', { userHandle: Buffer.from('another').toString('base64url') }],
      [
        'of an account whose password was not the one given',
        { userId: '0b53e4a6-4f8e-4f3c-9f0a-0a6d2ff2a001' },
      ],
    ])('a use %s is refused like a wrong password', async (_, changes) => {
      const { device } = await add(sam)
      const answer = await signIn(device, changes)
      expectError(answer, 401, 'Unauthorized', 'unauthorized')
      expect(answer.text).toBe((await logIn(EMAIL, 'wrong')).text)
      expect((await signIn(device)).status).toBe(200)
    })

    test('an unknown and a removed passkey get the same answer', async () => {
      const { device, answer } = await add(sam)
      await remove(sam, answer.json.id)
      const unknown = await signIn(new SoftwarePasskey())
      expectError(unknown, 401, 'Unauthorized', 'unauthorized')
      expect((await signIn(device)).text).toBe(unknown.text)
    })

    test('a counter has to grow', async () => {
      const { device } = await add(sam, { counter: 5 })
      for (const [counter, status] of [
        [6, 200],
        [6, 401],
        [5, 401],
        [0, 401],
        [4_294_967_295, 200],
      ] as const)
        expect((await signIn(device, { counter })).status).toBe(status)
    })

    test('of ten uses at once with the same count, one is let in', async () => {
      const { device } = await add(sam, { counter: 1 })
      const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(device, { counter: 2 })))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })

    test('a locked account refuses it, and five refused uses lock', async () => {
      const { device } = await add(sam)
      for (let failure = 0; failure < 5; failure += 1) await logIn(EMAIL, 'wrong')
      expect((await signIn(device)).failure?.code).toBe('account_locked')
      now = new Date(now.getTime() + 15 * 60_000 + 1)
      for (let failure = 0; failure < 5; failure += 1)
        expect((await signIn(device, { isVerified: false })).status).toBe(401)
      expect((await logIn()).failure?.code).toBe('account_locked')
    })

    test('the call needs the signature of the web-facing layer', async () => {
      const { device } = await add(sam)
      const challenge = newChallenge()
      const passkey = device.use({ ...SITE, challenge })
      const body = { passkey, ceremony: { challenge, origin: SITE.origin, rp_id: SITE.rpId }, user_id: null }
      expect((await api.call('logInWithPasskey', { body })).status).toBe(401)
      expect((await signInWith(body)).status).toBe(200)
    })

    test('sign-ins of one address are limited', async () => {
      const body = { passkey: {}, ceremony: {}, user_id: null }
      const call = () =>
        api.call('logInWithPasskey', { body, headers: layerHeaders(body, { now, address: '203.0.113.9' }) })
      for (let count = 0; count < 50; count += 1) expect((await call()).status).toBe(400)
      expect((await call()).status).toBe(429)
    })
  })

  describe('after the password', () => {
    test('the choice needs a passkey and the password', async () => {
      expectError(await second(sam, true), 409, 'add a passkey first', 'conflict')
      await add(sam)
      expectError(await second(sam, true, 'wrong'), 400, 'the current password is wrong')
      expect((await logIn()).status).toBe(200)
      expect((await second(sam, true)).status).toBe(200)
    })

    test('the password is not enough; with the passkey it signs in', async () => {
      const { device } = await add(sam)
      await second(sam, true)
      expectError(await logIn(EMAIL, 'wrong'), 401, 'Unauthorized')
      const answer = await logIn()
      expect([answer.status, answer.failure?.code]).toEqual([403, 'passkey_required'])
      expect(answer.failure?.details).toEqual({ user_id: sam.userId })
      expect((await signIn(device, { userId: sam.userId, isVerified: false })).status).toBe(200)
    })

    test("another person's passkey does not complete it", async () => {
      await add(sam)
      await second(sam, true)
      const { device } = await add(kim)
      expectError(await signIn(device, { userId: sam.userId }), 401, 'Unauthorized')
    })

    test('with the last passkey the choice ends, so the password signs in', async () => {
      const first = (await add(sam)).answer.json
      const last = (await add(sam)).answer.json
      await second(sam, true)
      await remove(sam, first.id)
      expect((await logIn()).failure?.code).toBe('passkey_required')
      await remove(sam, last.id)
      expect((await logIn()).status).toBe(200)
    })

    test('a reset by the operator removes the passkeys and the choice', async () => {
      const { device } = await add(kim)
      await second(kim, true)
      const reset = await resetPassword(api.settings, OTHER_EMAIL)
      expect((await signIn(device)).status).toBe(401)
      const body = { email: OTHER_EMAIL, password: reset?.password, new_password: PASSWORD }
      expect((await api.call('logIn', { body })).status).toBe(200)
      expect((await api.call('listPasskeys', { as: kim })).json).toEqual({
        passkeys: [],
        after_password: false,
      })
    })
  })
})

function identity(json: { user_id: string; tenant_id: string }): Identity {
  return { userId: json.user_id, tenantId: json.tenant_id }
}

/** The signature of the web-facing layer for its own calls. */
function layerHeaders(
  body: object,
  { now, address }: { now: Date; address: string },
): Record<string, string> {
  const bytes = Buffer.from(JSON.stringify(body))
  const facts = { method: 'POST', path: PATH, body: bytes, clientAddress: address, userId: '', tenantId: '' }
  const stamp = { secret: SECRET, nowSeconds: Math.floor(now.getTime() / 1000), nonce: randomToken() }
  return { 'x-client-address': address, 'x-signature-v2': signRequest(facts, stamp) }
}
