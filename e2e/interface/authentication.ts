import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { Caller, expectFailure, newAddress, newName, signed, textOf } from './client.ts'
import { newTerminal } from './requests.ts'
import { newMember, newPerson, type Person, type Running } from './servers.ts'

const UNAUTHORIZED = 'Unauthorized'

type Ids = { request: string; bundle: string; key: string }

const row = (ids: Ids) => `/api/v1/requests/${ids.request}`
const bundle = (ids: Ids) => `/api/v1/bundles/${ids.bundle}`
const key = (ids: Ids) => `/api/v1/keys/${ids.key}`

/** Every row of the interface's table that is not public, and who may call it. */
const ROWS: readonly [
  method: string,
  who: 'session' | 'member' | 'owner',
  path: (ids: Ids) => string,
  body?: object,
][] = [
  ['GET', 'session', (ids) => `${row(ids)}/bundles`],
  ['GET', 'session', (ids) => `${row(ids)}/bundles/${ids.bundle}`],
  ['POST', 'session', (ids) => `${row(ids)}/encrypt-from-bundle`, { bundle_id: 'x', include_keys: ['A'] }],
  ['POST', 'member', () => '/api/v1/bundles', {}],
  ['GET', 'member', () => '/api/v1/bundles'],
  ['GET', 'member', bundle],
  ['GET', 'member', (ids) => `${bundle(ids)}/keys`],
  ['GET', 'member', (ids) => `${bundle(ids)}/export`],
  ['GET', 'member', () => '/api/v1/keys'],
  ['POST', 'member', () => '/api/v1/keys', {}],
  ['GET', 'member', key],
  ['POST', 'owner', (ids) => `${bundle(ids)}/keys/${ids.key}`],
  ['DELETE', 'owner', (ids) => `${bundle(ids)}/keys/${ids.key}`],
  ['PUT', 'owner', (ids) => `${bundle(ids)}/keys/${ids.key}/order`, { order: 0 }],
  ['POST', 'owner', (ids) => `${bundle(ids)}/import`, { format: 'env', payload: 'A=1' }],
  ['POST', 'owner', (ids) => `${bundle(ids)}/items`, { key: 'A', value: '1' }],
  ['DELETE', 'owner', (ids) => `${bundle(ids)}/items/A`],
  ['PUT', 'owner', key, { description: 'new' }],
  ['DELETE', 'owner', key],
  ['DELETE', 'owner', bundle],
]

/** Who may call: the signature, the tenant and the role. */
export function authentication(running: Running): void {
  let owner: Person
  let ids: Ids
  beforeAll(async () => {
    owner = await newPerson(running(), running().url)
    const { caller } = owner
    const body = { client_pubkey: newTerminal().publicKey }
    const asked = await new Caller(running().url).post('/api/v1/requests', body, { from: newAddress() })
    const made = await caller.post('/api/v1/bundles', { name: newName('app') })
    const stored = await caller.post('/api/v1/keys', { name: newName('KEY'), value: 'x' })
    ids = { request: textOf(asked, 'id'), bundle: textOf(made, 'id'), key: textOf(stored, 'id') }
  })
  const secret = () => running().secret ?? ''
  const callsBy = async (
    caller: Caller,
    each: (answer: Awaited<ReturnType<Caller['get']>>, who: string) => void,
  ) => {
    for (const [method, who, path, body] of ROWS) each(await caller.call(method, path(ids), { body }), who)
  }

  const keysWith = (headers: Record<string, string>) => new Caller(running().url, headers).get('/api/v1/keys')

  test('every row that is not public needs the signature', async () => {
    await callsBy(new Caller(running().url), (answer) => expectFailure(answer, 401, UNAUTHORIZED))
  })

  describe('the three headers', () => {
    test('are needed, all of them', async () => {
      const all = signed(owner, secret())
      expect((await keysWith(all)).status).toBe(200)
      for (const name of Object.keys(all)) {
        const rest = Object.fromEntries(Object.entries(all).filter(([other]) => other !== name))
        expectFailure(await keysWith(rest), 401, UNAUTHORIZED)
      }
    })

    test('count only with the shared secret, for this user and tenant', async () => {
      const [all, stranger] = [signed(owner, secret()), await newPerson(running(), running().url)]
      expectFailure(await keysWith(signed(owner, 'another secret of 32 bytes or more')), 401, UNAUTHORIZED)
      for (const other of [
        { 'X-User-ID': stranger.user },
        { 'X-Tenant-ID': stranger.tenant },
        { 'X-Signature': 'x' },
      ])
        expectFailure(await keysWith({ ...all, ...other }), 401, UNAUTHORIZED)
    })

    test('name a user and a tenant that exist', async () => {
      const unknown = randomUUID()
      for (const who of [
        { ...owner, user: unknown },
        { ...owner, tenant: unknown },
      ])
        expectFailure(await keysWith(signed(who, secret())), 404, 'User not found')
    })
  })

  test('a new person owns an empty tenant', async () => {
    const { caller } = await newPerson(running(), running().url)
    expect(await caller.get('/api/v1/bundles')).toMatchObject({ status: 200, json: [] })
    expect(await caller.get('/api/v1/keys')).toMatchObject({ status: 200, json: [] })
  })

  test('a person without a membership of the tenant gets 403', async () => {
    const { user } = await newPerson(running(), running().url)
    const outsider = new Caller(running().url, signed({ user, tenant: owner.tenant }, secret()))
    await callsBy(outsider, (answer) => expectFailure(answer, 403))
  })

  test("another tenant's ids answer as unknown ones do", async () => {
    const { caller } = await newPerson(running(), running().url)
    expectFailure(await caller.get(bundle(ids)), 404, 'bundle not found')
    expectFailure(await caller.delete(bundle(ids)), 404, 'bundle not found')
    expectFailure(await caller.get(key(ids)), 404, 'Key not found')
    expectFailure(await caller.put(key(ids), { value: 'y' }), 404, 'Key not found')
    const approval = { bundle_id: ids.bundle, include_keys: ['A'] }
    expectFailure(await caller.post(`${row(ids)}/encrypt-from-bundle`, approval), 404, 'bundle not found')
  })

  test('a member reads and creates; what is for admins answers 403', async () => {
    await callsBy(await newMember(running(), owner), (answer, who) => {
      if (who === 'owner') expectFailure(answer, 403, 'Forbidden: owner role required')
      else expect([200, 400, 404]).toContain(answer.status)
    })
  })

  test('an owner may do all of it', async () => {
    await callsBy(owner.caller, (answer) => expect([200, 201, 400, 404]).toContain(answer.status))
  })
}
