import { randomUUID } from 'node:crypto'
import { createDeviceSeed, type DeviceRequest, signDeviceRequest } from '@keyferry/crypto/device-key'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resetPassword, setAccountActive } from '../src/accounts/operating.ts'
import { linkPeople, undoLinkOf } from '../src/main.ts'
import {
  databases,
  type Identity,
  layerHeaders,
  SECRET,
  signedHeaders,
  startTestApi,
  type TestApi,
} from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const PASSWORD = 'a word of my own'
const COMMAND = { argv: ['npm', 'run', 'dev'], cwd: '/home/sam/shop' }

type Person = Identity & { idpUserId: string; email: string; homeId: string }
type Terminal = { seed: Uint8Array; bundle: { id: string; name: string }; key: string }

describe.each(databases)('what the credentials of a person gave, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const operated = () => ({ ...api.settings, redisUrl: null })
  const ensure = async (idpUserId: string, email: string) => {
    const body = { idp_user_id: idpUserId, email, email_verified: true }
    return (await api.call('ensureUser', { body })).json
  }

  /** A member with a local account. */
  const withAccount = async (): Promise<Person> => {
    const email = `${randomUUID()}@example.com`
    const { json } = await api.call('createInvitation', { as: owner, body: { email, role: 'member' } })
    const body = { token: json.token, password: PASSWORD }
    const { user_id: userId } = (await api.call('joinWithAccount', { body })).json
    return { userId, tenantId: owner.tenantId, idpUserId: `user_${userId}`, email, homeId: owner.tenantId }
  }
  /** A member whom a provider knows. */
  const provided = async (): Promise<Person> => {
    const [idpUserId, email] = [`user_${randomUUID()}`, `${randomUUID()}@example.com`]
    const { user_id: userId, tenant_id: homeId } = await ensure(idpUserId, email)
    const { json } = await api.call('createInvitation', { as: owner, body: { email, role: 'member' } })
    const as = { userId, tenantId: homeId }
    await api.call('acceptInvitation', { as, body: { token: json.token } })
    return { userId, tenantId: owner.tenantId, idpUserId, email, homeId }
  }

  const ask = async ({ seed, bundle }: Terminal) => {
    const client = new ReturningClient(api)
    const use = { redaction: 'auto' as const, flags: ['run'] }
    const signed: DeviceRequest = {
      ...COMMAND,
      use,
      clientPublicKey: client.keyPair.publicKey,
      bundle: bundle.name,
      workspace: undefined,
      templateKeys: [],
      argvMasked: undefined,
      agent: undefined,
      reason: undefined,
    }
    const device = signDeviceRequest(seed, signed, new Date().toISOString())
    const asked = { ...COMMAND, use, bundle_id: bundle.name, device }
    const { json } = await client.ask(
      { ...client.returning(), ...asked },
      { 'x-forwarded-for': client.address },
    )
    return { client, ...json }
  }
  const approve = (
    id: string,
    { bundle, key }: Terminal,
    as: Identity,
    body: Record<string, unknown> = {},
  ) => {
    const choice = { bundle_id: bundle.id, include_keys: [key], release: 'loopback', remember_hours: 8 }
    return approveWith(api, as, { requestId: id, ...choice, ...body })
  }
  let terminals = 0
  const newTerminal = async (): Promise<Terminal> => {
    terminals += 1
    const key = `VALUE_${terminals}`
    return { seed: createDeviceSeed(), key, bundle: await newBundle(api, owner, { [key]: 'first' }) }
  }
  /** A terminal that may repeat what the person approved. */
  const remembered = async (as: Identity): Promise<Terminal> => {
    const terminal = await newTerminal()
    const { client, id } = await ask(terminal)
    await client.release(id, secretOf((await approve(id, terminal, as)).json))
    await expect.poll(() => repeats(terminal)).toBe('delivered')
    return terminal
  }
  const repeats = async (terminal: Terminal) => {
    const { remembered: used, asks_again } = await ask(terminal)
    return used ? 'delivered' : (asks_again ?? 'asks')
  }
  const rotate = async ({ bundle }: Terminal) => {
    const { json } = await api.call('getBundle', { as: owner, params: { bundle_id: bundle.id } })
    const [key_id = ''] = (json.items ?? []).map((item) => ('id' in item ? (item.id ?? '') : ''))
    const answer = await api.call('updateKey', { as: owner, params: { key_id }, body: { value: 'rotated' } })
    expect(answer.status).toBe(200)
  }

  /** Calls as a web node signs them, for a session that began in this epoch. */
  const inEpoch = async ({ userId, tenantId }: Identity, epoch: string) => {
    const facts = { method: 'GET', path: '/api/v1/me', body: new Uint8Array(), clientAddress: '' }
    const stamp = { secret: SECRET, nowSeconds: Math.floor(Date.now() / 1_000), nonce: randomToken() }
    const signature = signRequest({ ...facts, userId, tenantId, epoch }, stamp)
    const own = { ...signedHeaders({ userId, tenantId }), 'x-session-epoch': epoch }
    const answer = await fetch(`${api.address}/api/v1/me`, {
      headers: { ...own, 'x-signature-v2': signature },
    })
    const { code } = (await answer.json()) as { code?: string }
    return code ?? answer.status
  }

  const changed = async (person: Person) => {
    const body = { current_password: PASSWORD, new_password: 'another word of my own' }
    return (await api.call('changePassword', { as: person, body })).json.remembered_ended
  }
  const signedOut = async ({ idpUserId }: Person) => {
    const body = { reason: 'all_sessions' }
    const headers = layerHeaders('POST', `/api/v1/users/${idpUserId}/signed-out`, body)
    const params = { idp_user_id: idpUserId }
    return (await api.call('recordSignOut', { params, body, headers })).json.remembered_ended
  }
  const providerSays = async ({ idpUserId }: Person, is_active: boolean) => {
    const body = { is_active }
    const headers = layerHeaders('PUT', `/api/v1/users/${idpUserId}`, body)
    await api.call('changeProvidedUser', { params: { idp_user_id: idpUserId }, body, headers })
  }
  const linked = async ({ userId }: Person, fresh: string) => {
    const pairs = [{ old: userId, fresh: { idpUserId: fresh } }]
    const [report] = await linkPeople(operated(), pairs, true)
    expect(report?.refusal).toBeNull()
    return report ?? { id: null, remembered: 0 }
  }

  test.each<[string, () => Promise<Person>, (person: Person) => Promise<number | undefined>]>([
    ['a password change', withAccount, changed],
    [
      'reset-password',
      withAccount,
      async ({ email }) => (await resetPassword(operated(), email))?.remembered,
    ],
    ['the end of all sessions', withAccount, signedOut],
    ['the end of all sessions of a provider', provided, signedOut],
    [
      'disable-account',
      withAccount,
      async ({ email }) => (await setAccountActive(operated(), email, false))?.remembered,
    ],
    ['link-people', provided, async (person) => (await linked(person, `user_${randomUUID()}`)).remembered],
  ])('ends with %s, which says how many remembered approvals ended', async (_, make, end) => {
    const person = await make()
    const [one, other, ofOwner] = [
      await remembered(person),
      await remembered(person),
      await remembered(owner),
    ]
    expect(await inEpoch(person, '0')).toBe(200)
    expect(await end(person)).toBe(2)
    expect(await inEpoch(person, '0')).toBe('session_ended')
    for (const terminal of [one, other]) {
      expect(await repeats(terminal)).toMatch(/^(signed_out|person_removed)$/)
      await rotate(terminal)
      expect(await repeats(terminal)).toMatch(/^(signed_out|person_removed)$/)
    }
    expect([await repeats(ofOwner), await inEpoch(owner, '0')]).toEqual(['delivered', 200])
  })

  test('ends with unlink-people, for both people', async () => {
    const person = await provided()
    const fresh = `user_${randomUUID()}`
    const { id } = await linked(person, fresh)
    const terminal = await remembered(person)
    expect(await inEpoch(person, '1')).toBe(200)
    expect(await undoLinkOf(operated(), id ?? '')).toMatchObject({ remembered: 1 })
    expect([await repeats(terminal), await inEpoch(person, '1')]).toEqual(['signed_out', 'session_ended'])
  })

  test('ends when a person becomes part of another: of the sign-in that moves, too', async () => {
    const [old, fresh] = [await provided(), await provided()]
    const terminal = await remembered(fresh)
    expect((await linked(old, fresh.idpUserId)).remembered).toBe(1)
    expect(await inEpoch({ userId: fresh.userId, tenantId: fresh.homeId }, '0')).toBe('session_ended')
    expect(await repeats(terminal)).not.toBe('delivered')
  })

  test('ends when the provider says that the person is gone, and does not come back with the person', async () => {
    const person = await provided()
    const terminal = await remembered(person)
    await providerSays(person, false)
    expect(await repeats(terminal)).toBe('person_removed')
    await providerSays(person, true)
    expect([await repeats(terminal), await inEpoch(person, '0')]).toEqual(['person_removed', 'session_ended'])
    await rotate(terminal)
    expect(await repeats(terminal)).toBe('person_removed')
  })

  test('enable-account brings back no remembered approval and no session', async () => {
    const person = await withAccount()
    const terminal = await remembered(person)
    await setAccountActive(operated(), person.email, false)
    await setAccountActive(operated(), person.email, true)
    expect([await repeats(terminal), await inEpoch(person, '0')]).toEqual(['person_removed', 'session_ended'])
    await rotate(terminal)
    expect(await repeats(terminal)).toBe('person_removed')
    const { json } = await api.call('logIn', { body: { email: person.email, password: PASSWORD } })
    const again = await setAccountActive(operated(), person.email, true)
    expect(again).toMatchObject({ userId: person.userId, remembered: 0 })
    expect(await inEpoch(person, String(json.epoch))).toBe(200)
  })

  test('an approval that returns to its terminal after the end delivers once, and is not remembered', async () => {
    const person = await withAccount()
    const terminal = await newTerminal()
    const { client, id } = await ask(terminal)
    const secret = secretOf((await approve(id, terminal, person)).json)
    expect(await changed(person)).toBe(0)
    await client.release(id, secret)
    await expect.poll(async () => (await client.waits(id)).json.status).toBe('ready')
    expect(await repeats(terminal)).toBe('asks')
  })

  test('a sign-in says the epoch in which its session counts; a new password begins the next', async () => {
    const person = await withAccount()
    const logIn = async (password: string, new_password?: string) =>
      (await api.call('logIn', { body: { email: person.email, password, new_password } })).json.epoch
    expect(await logIn(PASSWORD)).toBe(0)
    await changed(person)
    expect(await logIn('another word of my own')).toBe(1)
    const { password = '' } = (await resetPassword(operated(), person.email)) ?? {}
    expect(await logIn(password, 'a third word of my own')).toBe(3)
    expect([await inEpoch(person, '2'), await inEpoch(person, '3')]).toEqual(['session_ended', 200])
    const known = await provided()
    await signedOut(known)
    expect(await ensure(known.idpUserId, known.email)).toMatchObject({ epoch: 1 })
  })

  test('the end of one session, and an order of the provider, leave the other sessions', async () => {
    const person = await provided()
    for (const reason of ['session', 'other_session', 'provider']) {
      const headers = layerHeaders('POST', `/api/v1/users/${person.idpUserId}/signed-out`, { reason })
      await api.call('recordSignOut', {
        params: { idp_user_id: person.idpUserId },
        body: { reason },
        headers,
      })
    }
    expect(await inEpoch(person, '0')).toBe(200)
  })

  test('a signer that says no epoch is admitted as before; one that is not signed counts for nothing', async () => {
    const person = await withAccount()
    await changed(person)
    expect((await api.call('getMe', { as: person })).status).toBe(200)
    const headers = { ...signedHeaders(person), 'x-session-epoch': '0' }
    expect((await fetch(`${api.address}/api/v1/me`, { headers })).status).toBe(200)
    const facts = { method: 'GET', path: '/api/v1/me', body: new Uint8Array(), clientAddress: '' }
    const stamp = { secret: SECRET, nowSeconds: Math.floor(Date.now() / 1_000), nonce: randomToken() }
    const { userId, tenantId } = person
    for (const signed of [{ epoch: '0' }, {}, { signedInAt: '1' }]) {
      const signature = signRequest({ ...facts, userId, tenantId, ...signed }, stamp)
      const forged = { ...headers, 'x-session-epoch': '1', 'x-signature-v2': signature }
      expect((await fetch(`${api.address}/api/v1/me`, { headers: forged })).status).toBe(401)
    }
  })
})
