import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answered, expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { askSigned, newTerminal } from './signing-terminal.ts'
import { askedIn, TouchKey } from './touch-client.ts'

const DAY_MS = 24 * 60 * 60_000

const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

describe.each(oneDatabase)('the rule that people sign, on %s', (kind) => {
  let api: TestApi
  let now = new Date()
  let owner: Identity
  let second: Identity
  let bundle: { id: string; name: string }
  let keys: ReadonlyMap<Identity, TouchKey>

  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], devAllowPlaintext: true, now: () => now })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    now = new Date()
    owner = await api.newOwner()
    second = await joinWorkspace(api, owner, 'owner')
    keys = new Map([
      [owner, new TouchKey()],
      [second, new TouchKey()],
    ])
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })

  const enrolled = async () => {
    for (const [person, key] of keys) await key.enrol(api, person)
  }
  /** Make a call, and sign it if that is asked for. */
  const signed = async <A extends Answered>(
    as: Identity,
    call: (headers: Record<string, string>) => Promise<A>,
  ): Promise<A> => {
    const answer = await call({})
    if (answer.failure?.code !== 'touch_required') return answer
    return await call(keys.get(as)?.sign(askedIn(answer)) ?? {})
  }
  const set = (touch: string | null, as = owner) =>
    signed(as, (headers) =>
      api.call('changeBundlePolicy', { as, headers, params: { bundle_id: bundle.id }, body: { touch } }),
    )
  const setAll = (touch: string | null, as = owner) =>
    signed(as, (headers) => api.call('changeTenantPolicy', { as, headers, body: { touch } }))
  const ruleNow = async () =>
    (await api.call('getBundlePolicy', { as: owner, params: { bundle_id: bundle.id } })).json
  const approve = (requestId: string, release?: string, as = owner) =>
    approveWith(api, as, { requestId, bundle_id: bundle.id, include_keys: ['URL'], release })
  const reveal = () =>
    api.call('exportBundle', {
      as: owner,
      params: { bundle_id: bundle.id },
      query: { format: 'env', reveal: '1' },
    })
  const asked = () => new ReturningClient(api).request()

  test('a key that takes the place of another in a bundle is signed as one that is attached', async () => {
    await enrolled()
    await set('passkey')
    const [other, { json: own }] = [
      await newBundle(api, owner, { OTHER: 'x' }),
      await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } }),
    ]
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: other.id } })
    const params = { bundle_id: other.id, key_id: json[0]?.id ?? '' }
    const change = (headers = {}) =>
      api.call('changeAttachment', { as: owner, headers, params, body: { key_id: own[0]?.id } })
    expect((await change()).failure?.code).toBe('touch_required')
    expect((await signed(owner, change)).status).toBe(200)
  })

  test('needs two keys of owners that are enough for it', async () => {
    await keys.get(owner)?.enrol(api, owner)
    expectError(
      await set('passkey'),
      409,
      'owners of this workspace need 2 signing keys, and have 1: add one, then set the rule',
      'conflict',
    )
    await keys.get(second)?.enrol(api, second)
    expect((await set('passkey')).json.effective.touch).toBe('passkey')
    expect((await approve(await asked())).failure?.code).toBe('touch_required')
  })

  test('the person who sets it signs that, and the machines that get the bundle already', async () => {
    await enrolled()
    const machine = await api.call('createMachine', { as: owner, body: { name: bundle.name } })
    const params = { machine_id: machine.json.id, bundle_id: bundle.id }
    await api.call('grantBundle', { as: owner, params, body: { scope: 'read' } })
    const elsewhere = await newBundle(api, owner, { ELSEWHERE: '1' })
    const other = await api.call('createMachine', { as: owner, body: { name: 'other' } })
    const there = { machine_id: other.json.id, bundle_id: elsewhere.id }
    await api.call('grantBundle', { as: owner, params: there, body: { scope: 'read' } })
    const answer = await api.call('changeBundlePolicy', { as: owner, params, body: { touch: 'passkey' } })
    expect(JSON.parse(askedIn(answer).statement)).toMatchObject({
      act: 'changeBundlePolicy',
      concerns: { bundles: [{ id: bundle.id }], machines: [{ id: params.machine_id }] },
    })
    const all = await api.call('changeTenantPolicy', { as: owner, body: { touch: 'passkey' } })
    expect(JSON.parse(askedIn(all).statement)).toMatchObject({
      concerns: { machines: [{ id: params.machine_id }, { id: there.machine_id }].toSorted(byId) },
    })
    expect((await ruleNow()).effective.touch).toBe('none')
  })

  test('device needs keys that are bound to one', async () => {
    keys = new Map([...keys.keys()].map((person) => [person, new TouchKey({ isSynced: true })]))
    await enrolled()
    expect((await set('device')).failure?.error).toContain('bound to one device')
    expect((await setAll('passkey')).status).toBe(200)
    expect((await ruleNow()).effective.touch).toBe('passkey')
  })

  test('nobody can sign a legacy item', async () => {
    await enrolled()
    const params = { bundle_id: bundle.id }
    const made = await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'OLD', value: 'v' } })
    expect(made.status).toBeLessThan(300)
    const refusal = 'convert the legacy items into keys first: they cannot be signed'
    expect((await set('passkey')).failure?.error).toBe(refusal)
    expect((await setAll('passkey')).failure?.error).toBe(refusal)
    expect((await ruleNow()).effective.touch).toBe('none')
    bundle = await newBundle(api, owner, { URL_TOO: 'pg://s3cret' })
    expect((await set('passkey')).status).toBe(200)
  })

  test('ends what nobody signed: approvals on their way, ready ones, first ones and invitations', async () => {
    await enrolled()
    const [held, ready, collected] = [
      new ReturningClient(api),
      new ReturningClient(api),
      new ReturningClient(api),
    ]
    const [heldId, readyId, collectedId] = [
      await held.request(),
      await ready.request(),
      await collected.request(),
    ]
    const { json } = await approve(heldId, 'loopback')
    await approve(readyId)
    await approve(collectedId)
    expect(collected.opened(await collected.waits(collectedId))).toEqual({ URL: 'pg://s3cret' })
    await api.call('createInvitation', { as: owner, body: { email: 'a@example.com', role: 'owner' } })
    const two = (approvals_needed: number) =>
      api.call('changeBundlePolicy', {
        as: owner,
        params: { bundle_id: bundle.id },
        body: { approvals_needed },
      })
    await two(2)
    const firstId = await asked()
    await approve(firstId)
    const heldFirst = new ReturningClient(api)
    const heldFirstId = await heldFirst.request()
    const { json: first } = await approve(heldFirstId, 'loopback')
    await two(1)
    expect((await set('passkey')).status).toBe(200)
    expect((await held.release(heldId, secretOf(json))).status).toBe(404)
    expect((await ready.waits(readyId)).status).toBe(404)
    const late = await heldFirst.release(heldFirstId, secretOf(first))
    expect(late).toMatchObject({
      status: 409,
      json: { error: 'Request does not wait for its return to the terminal' },
    })
    expect((await api.call('listInvitations', { as: owner })).json).toEqual([])
    const params = { request_id: firstId, bundle_id: bundle.id }
    expect((await api.call('getRequestBundle', { as: owner, params })).json.first_approval).toBeNull()
  })

  test('a second rule lets what was signed under the first arrive, also for a first approval', async () => {
    await enrolled()
    await set('passkey')
    const [ready, half] = [new ReturningClient(api), new ReturningClient(api)]
    const [readyId, halfId] = [await ready.request(), await half.request()]
    const approveSigned = (request_id: string, as = owner) =>
      signed(as, (headers) => {
        const body = { bundle_id: bundle.id, include_keys: ['URL'] }
        return api.call('encryptFromBundle', { as, headers, params: { request_id }, body })
      })
    expect((await approveSigned(readyId)).status).toBe(200)
    const two = { as: owner, params: { bundle_id: bundle.id }, body: { approvals_needed: 2 } }
    await signed(owner, (headers) => api.call('changeBundlePolicy', { ...two, headers }))
    expect((await approveSigned(halfId)).json).toMatchObject({ approvals: { given: 1, needed: 2 } })
    expect((await setAll('passkey')).status).toBe(200)
    expect(ready.opened(await ready.waits(readyId))).toEqual({ URL: 'pg://s3cret' })
    expect((await approveSigned(halfId, second)).json).toMatchObject({ approvals: { given: 2, needed: 2 } })
  })

  test('an approval at the same time is ended, or signed', async () => {
    await enrolled()
    const ids = await Promise.all([1, 2, 3, 4].map(asked))
    const [done] = await Promise.all([set('passkey'), ...ids.map((id) => approve(id))])
    expect(done?.status).toBe(200)
    for (const id of ids) {
      const context = await api.call('getRequestContext', { params: { request_id: id } })
      expect(context.status === 404 || context.json.status === 'pending').toBe(true)
    }
  })

  const WAITS = { code: 'conflict', error: expect.stringMatching(/^signed: it waits/) }

  test('one owner’s touch alone loosens nothing within a day', async () => {
    await enrolled()
    await set('device')
    expect((await set('passkey')).failure).toMatchObject(WAITS)
    now = new Date(now.getTime() + DAY_MS - 1_000)
    expect((await set('passkey')).failure).toMatchObject(WAITS)
    expect((await ruleNow()).effective.touch).toBe('device')
    now = new Date(now.getTime() + 1_000)
    expect((await set('passkey')).json.effective.touch).toBe('passkey')
  })

  test('a second owner loosens it at once, but nothing else than was asked', async () => {
    await enrolled()
    await set('device')
    await set('passkey')
    expect((await set(null, second)).failure).toMatchObject(WAITS)
    expect((await ruleNow()).effective.touch).toBe('device')
    expect((await set(null)).json.effective.touch).toBe('none')
    expect((await approve(await asked())).status).toBe(200)
  })

  test('what a former owner asked for, or one long ago, is no half of a loosening', async () => {
    await enrolled()
    await set('device')
    await set('none')
    now = new Date(now.getTime() + 9 * DAY_MS)
    expect((await set('none', second)).failure).toMatchObject(WAITS)
    const change = (role: 'member' | 'owner') => {
      const params = { user_id: second.userId }
      return signed(owner, (headers) =>
        api.call('changeMemberRole', { as: owner, headers, params, body: { role } }),
      )
    }
    expect((await change('member')).status).toBe(200)
    expect((await set('none')).failure).toMatchObject(WAITS)
    now = new Date(now.getTime() + DAY_MS)
    await change('owner')
    expect((await ruleNow()).effective.touch).toBe('device')
  })

  test('any owner stops a loosening, and then the stricter rule stays', async () => {
    await enrolled()
    await set('device')
    await set('none')
    const { json } = await api.call('listLastingActs', { as: second })
    expect(json).toMatchObject([{ act: 'changeBundlePolicy', person: { id: owner.userId } }])
    const params = { act_id: json[0]?.id ?? '' }
    expect((await api.call('endLastingAct', { as: second, params })).status).toBe(200)
    expect((await set('none', second)).failure).toMatchObject(WAITS)
  })

  test('of a folder: its bundles need signatures, and a new name loosens nothing', async () => {
    await enrolled()
    const rename = (name: string) =>
      signed(owner, (headers) =>
        api.call('updateBundle', { as: owner, headers, params: { bundle_id: bundle.id }, body: { name } }),
      )
    await rename(`vault/${bundle.name}`)
    const setFolder = (touch: string | null) =>
      signed(owner, (headers) =>
        api.call('changeTenantPolicy', { as: owner, headers, body: { folder: 'vault/', touch } }),
      )
    expect((await setFolder('passkey')).status).toBe(200)
    expect((await approve(await asked())).failure?.code).toBe('touch_required')
    const body = { name: `away/${bundle.name}` }
    const call = { as: owner, params: { bundle_id: bundle.id }, body }
    expect((await api.call('updateBundle', call)).failure?.code).toBe('touch_required')
    expect((await rename(body.name)).status).toBe(200)
    expect(await ruleNow()).toMatchObject({ bundle: { touch: 'passkey' }, effective: { touch: 'passkey' } })
    expect((await approve(await asked())).failure?.code).toBe('touch_required')
    expect((await set(null)).failure).toMatchObject(WAITS)
    const other = await newBundle(api, owner, { OTHER: 'v' })
    const into = { as: owner, params: { bundle_id: other.id }, body: { name: `vault/${other.name}` } }
    expect((await api.call('updateBundle', into)).failure?.code).toBe('touch_required')
    expect((await setFolder(null)).failure).toMatchObject(WAITS)
    const { places } = (await api.call('getTenantPolicy', { as: owner, query: { places: '1' } })).json
    expect(places?.find(({ folder }) => folder === 'vault/')).toMatchObject({
      effective: { touch: 'passkey' },
    })
  })

  test('an approval does not offer to allow tasks first where people sign, because the rule is signed too', async () => {
    await enrolled()
    const other = await newBundle(api, owner, { OTHER: 'v' })
    const { id } = await askSigned(api, newTerminal(api), { bundle: other.name, nowMs: now.getTime() })
    const params = { request_id: id, bundle_id: other.id }
    const offer = async () => (await api.call('getRequestBundle', { as: owner, params })).json.task
    expect(await offer()).toMatchObject({ rule: { folder: 'test/' } })
    await set('passkey')
    const body = { folder: 'test/', tasks: 'allow', agents: 'remember' }
    const allowed = await api.call('changeTenantPolicy', { as: owner, body })
    expect(allowed.failure?.code).toBe('touch_required')
    expect(await offer()).toBeUndefined()
  })

  test('a server that reveals shows nobody these values', async () => {
    await enrolled()
    const before = await reveal()
    await set('passkey')
    expect(before.status).toBe(200)
    expectError(await reveal(), 403, 'A person signs each approval of these values: request a delivery')
  })
})
