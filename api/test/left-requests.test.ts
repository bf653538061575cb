import { TIMES } from '@keyferry/contract'
import { createDeviceSeed, signDeviceForget } from '@keyferry/crypto/device-key'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { type Asked, askSigned, newTerminal, USE } from './signing-terminal.ts'

const HOUR_MS = 3_600_000
const NOT_LATER = 'this command cannot be approved for its next run'
const NO_GRANT = 'Remembered approval not found'
const STOPPED = 'The command stopped: load the page again, to approve its next run'

type Bundle = { id: string; name: string; names: string[] }

describe.each(oneDatabase)('requests that their command left on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: Bundle
  let offsetMs = 0
  let bundles = 0
  const nowMs = () => Date.now() + offsetMs
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => new Date(nowMs()) })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    offsetMs = 0
    bundle = await bundleOf()
  })

  const bundleOf = async () => {
    bundles += 1
    const names = [`A_${bundles}`, `B_${bundles}`]
    const made = await newBundle(api, owner, { [names[0] ?? '']: 'first', [names[1] ?? '']: 'b' })
    const all = { ...made, names }
    await rules(all, { agents: 'remember' })
    return all
  }
  const rules = (of: Bundle, body: Record<string, unknown>, as = owner) =>
    api.call('changeBundlePolicy', { as, params: { bundle_id: of.id }, body })

  const terminal = (changes: Partial<Asked> = {}): Asked => newTerminal(api, changes)
  const ask = (asked: Asked, of = bundle) => askSigned(api, asked, { bundle: of.name, nowMs: nowMs() })
  const approve = (requestId: string, body: Record<string, unknown>, as = owner, of = bundle) =>
    approveWith(api, as, { requestId, bundle_id: of.id, include_keys: of.names, ...body })
  const later = (requestId: string, as = owner, of = bundle) => approve(requestId, { later: true }, as, of)
  /** A terminal to which an approval of a person's own command came back. */
  const known = async (changes: Partial<Asked> = {}, as = owner, of = bundle) => {
    const asked = terminal(changes)
    const { client, id } = await ask({ ...asked, agent: undefined, argv: ['npm', 'run', 'dev'] }, of)
    const { json } = await approve(id, { release: 'loopback', remember_hours: 8 }, as, of)
    expect((await client.release(id, secretOf(json))).status).toBe(200)
    return asked
  }
  const leave = async ({ client, id }: { client: ReturningClient; id: string }, proof = client.proof()) =>
    api.call('withdrawRequest', { params: { request_id: id }, query: { leave: '1' }, headers: proof })
  const context = (id: string) => api.call('getRequestContext', { params: { request_id: id } })
  const isThere = async ({ id }: { id: string }) => (await context(id)).status === 200
  /** A request that was left. */
  const left = async (asked: Asked, of = bundle) => {
    const request = await ask(asked, of)
    expect(request.json.may_leave).toBe(true)
    expect((await leave(request)).json).toEqual({ ok: true, left: true })
    return request
  }
  const again = async (asked: Asked, of = bundle) => {
    const { json } = await ask(asked, of)
    return json.remembered ? 'starts' : (json.asks_again ?? 'asks')
  }
  const deliveries = async () => {
    const { json } = await api.call('listDeliveries', { as: owner })
    return json.filter((delivery) => delivery.bundle.id === bundle.id)
  }
  const tag = (tags: string) =>
    api.call('updateBundle', { as: owner, params: { bundle_id: bundle.id }, body: { tags } })

  test('a left request waits two hours, and its yes is one run, without a person', async () => {
    const asked = await known()
    const before = await deliveries()
    const { id } = await left(asked)
    const shown = (await context(id)).json
    expect(Math.abs(Date.parse(shown.left_at ?? '') - nowMs())).toBeLessThan(60_000)
    expect(Date.parse(shown.expires_at) - Date.parse(shown.left_at ?? '')).toBe(TIMES.leftSeconds * 1_000)
    offsetMs = HOUR_MS
    const answer = await later(id)
    expect(answer.json).toMatchObject({ ok: true, later_until: expect.any(String) })
    expect(answer.json).not.toHaveProperty('release')
    expect(await deliveries()).toEqual(before)
    const [created] = (await api.call('listAudit', { as: owner, query: { action: 'grant.created' } })).json
    expect(created?.data).toEqual({ grant: expect.any(String), once: true, names: bundle.names })
    const [grant] = (await api.call('listGrants', { as: owner })).json
    expect(grant).toMatchObject({ agent: 'codex', argv: asked.argv, uses: 0, uses_left: 1 })
    const { client, id: next, json } = await ask(asked)
    expect(json.remembered).toMatchObject({ grant_id: grant?.id, uses_left: 0 })
    expect(Object.keys(client.opened(await client.waits(next)))).toEqual(bundle.names)
    expect(await again(asked)).toBe('used_up')
  })

  test('of many runs at once after one yes, one starts', async () => {
    const asked = await known()
    await later((await left(asked)).id)
    const runs = await Promise.all(Array.from({ length: 6 }, () => again(asked)))
    expect(runs.filter((run) => run === 'starts')).toHaveLength(1)
  })

  test('the yes counts for 30 minutes, and the request for two hours', async () => {
    const asked = await known()
    const { id } = await left(asked)
    const late = await left({ ...asked, argv: ['npm', 'start'] })
    await later(id)
    offsetMs = TIMES.laterSeconds * 1_000
    expect(await again(asked)).toBe('expired')
    offsetMs = TIMES.leftSeconds * 1_000
    expectError(await later(late.id), 404, 'request not found or expired', 'request_expired')
  })

  test.each<[string, Partial<Asked>, string]>([
    ['another command', { argv: ['npm', 'run', 'test'] }, 'other_command'],
    ['another folder', { cwd: '/tmp' }, 'other_folder'],
    ['another agent', { agent: 'claude-code' }, 'other_agent'],
    ['no agent', { agent: undefined }, 'other_agent'],
    ['other flags', { use: { ...USE, flags: ['run', '--only'] } }, 'other_command'],
    ['less redaction', { use: { ...USE, redaction: 'never' } }, 'other_command'],
    ['the key of the terminal in another network', { address: '203.0.113.9' }, 'other_network'],
    ['another terminal', { seed: createDeviceSeed() }, 'asks'],
  ])('the yes does not count for %s', async (_, changes, why) => {
    const asked = await known()
    await later((await left(asked)).id)
    expect(await again({ ...asked, ...changes })).toBe(why)
    expect(await again(asked)).toBe('starts')
  })

  test('a network is one /64', async () => {
    const asked = await known({ address: '2001:db8:1:2::5' })
    const elsewhere = { ...asked, address: '2001:db8:1:3::5' }
    expect((await ask(elsewhere)).json.may_leave).toBeUndefined()
    await later((await left({ ...asked, address: '2001:db8:1:2::6' })).id)
    expect(await again(elsewhere)).toBe('other_network')
    expect(await again({ ...asked, address: '2001:db8:1:2::7' })).toBe('starts')
  })

  test.each<[string, (asked: Asked) => Promise<Partial<Asked>> | Partial<Asked>]>([
    ['a terminal that no approval returned to', () => ({ seed: createDeviceSeed() })],
    ['a terminal in another network', () => ({ address: '203.0.113.7' })],
    ['a server that sees only its proxy', () => ({ address: '127.0.0.1' })],
    ['a person', () => ({ agent: undefined })],
    ['a client that takes no return over loopback', () => ({ release: ['code'] })],
    [
      'a client that asks how the approval returns',
      () => ({ use: { ...USE, flags: ['run', '--require-assurance=bound'] } }),
    ],
    ['a rule that remembers no agents', async () => await set({ agents: 'ask' })],
    ['a rule that remembers nothing', async () => await set({ remember_hours: 0 })],
    ['a rule of two people', async () => await set({ approvals_needed: 2 })],
    ['only to this computer', async () => await set({ assurance: 'local' })],
    ['approvers that the person is not among', async () => await set({ approvers: 'named', people: [] })],
    [
      'production, also where hours are allowed',
      async () => {
        await rules(bundle, { remember_hours: 8 })
        await tag('prod')
        return {}
      },
    ],
    [
      'a terminal whose approval is a week old',
      () => {
        offsetMs = 7 * 24 * HOUR_MS
        return {}
      },
    ],
    [
      'a terminal that was forgotten after its approval had ended',
      async ({ seed }) => {
        offsetMs = 10 * HOUR_MS
        const device = signDeviceForget(seed, new Date(nowMs()).toISOString())
        expect((await api.call('forgetDevice', { body: { device } })).json).toEqual({ ended: 0 })
        return {}
      },
    ],
    [
      'a person who signed out everywhere after the approval had ended',
      async () => {
        offsetMs = 10 * HOUR_MS
        await api.call('revokeOwnGrants', { as: owner })
        return {}
      },
    ],
  ])('%s: the request is not left, and its next run cannot be approved', async (_, change) => {
    const other = await bundleOf()
    // Known by another bundle, so that a change of rules alone decides.
    const asked = await known({}, owner, other)
    const changed = { ...asked, ...(await change(asked)) }
    const request = await ask(changed)
    expect(request.json.may_leave).toBeUndefined()
    if (changed.agent !== undefined) expect((await later(request.id)).status).not.toBe(200)
    expect((await leave(request)).json).toEqual({ ok: true })
    expectError(await context(request.id), 404, 'request not found or expired', 'request_withdrawn')
  })
  const set = async (body: Record<string, unknown>) => {
    const people = 'people' in body ? { people: [(await joinWorkspace(api, owner, 'member')).userId] } : {}
    expect((await rules(bundle, { ...body, ...people })).status).toBe(200)
    return {}
  }

  test('a terminal stays known for days after its approval has ended', async () => {
    const asked = await known()
    offsetMs = 6 * 24 * HOUR_MS
    await api.sweep()
    await later((await left(asked)).id)
    expect(await again(asked)).toBe('starts')
  })

  test('the person sees the terminals that are known, and forgets one', async () => {
    const person = await joinWorkspace(api, owner, 'owner')
    const asked = await known({}, person)
    expect((await later((await left(asked)).id, person)).status).toBe(200)
    offsetMs = 2 * 24 * HOUR_MS
    const list = (as: Identity) => api.call('listGrants', { as, query: { known: '1' } })
    const shown = await list(person)
    const [made, ...others] = shown.json
    expect([others, shown.headers.get('x-total-count')]).toEqual([[], '1'])
    expect((await list(owner)).json.map(({ id }) => id)).not.toContain(made?.id)
    expect((await api.call('listGrants', { as: person })).json).not.toContainEqual(made)
    expect((await ask(asked)).json.may_leave).toBe(true)
    const params = { grant_id: made?.id ?? '' }
    expectError(
      await api.call('revokeGrant', { as: await joinWorkspace(api, owner, 'member'), params }),
      404,
      NO_GRANT,
    )
    expect((await api.call('revokeGrant', { as: person, params })).status).toBe(200)
    expect((await list(person)).json).toEqual([])
    expect((await ask(asked)).json.may_leave).toBeUndefined()
    expectError(await api.call('revokeGrant', { as: person, params }), 404, NO_GRANT)
  })

  test('a yes for the next run makes no terminal known', async () => {
    const asked = await known()
    offsetMs = 6 * 24 * HOUR_MS
    await later((await left(asked)).id)
    offsetMs = 8 * 24 * HOUR_MS
    expect((await ask(asked)).json.may_leave).toBeUndefined()
  })

  test('nobody else approves it: a colleague, a stranger, or the person in another workspace', async () => {
    const { id } = await left(await known())
    const colleague = await joinWorkspace(api, owner, 'owner')
    expectError(await later(id, colleague), 400, NOT_LATER, 'invalid')
    const stranger = await api.newOwner()
    const theirs = await newBundle(api, stranger, { [`C_${bundles}`]: 'c' })
    expectError(
      await approve(id, { later: true, bundle_id: theirs.id, include_keys: [`C_${bundles}`] }, stranger),
      400,
      NOT_LATER,
      'invalid',
    )
    expect((await later(id)).status).toBe(200)
  })

  test('a left request gives nothing else: no values, no support, no code', async () => {
    const { client, id } = await left(await known())
    expectError(await approve(id, {}), 409, STOPPED, 'changed')
    expectError(await approve(id, { release: 'loopback' }), 409, STOPPED)
    const params = { request_id: id }
    const body = { bundle_id: bundle.id, include_keys: bundle.names, release: 'code' }
    expect((await api.call('vouchForRequest', { as: owner, params, body })).status).not.toBe(200)
    expect((await client.release(id, '000000')).status).toBe(409)
    const alone = 'later cannot be combined with release, remember_hours, typed or a task'
    expectError(await approve(id, { later: true, release: 'code' }), 400, alone)
    expectError(await approve(id, { later: true, include_keys: ['OTHER'] }), 400, expect.any(String))
    expect((await later(id)).status).toBe(200)
    expectError(await later(id), 404, 'request not found or expired', 'request_later')
    expectError(await client.waits(id), 404, 'request not found or expired', 'request_later')
  })

  test('it can be denied', async () => {
    const { id } = await left(await known())
    expect((await api.call('denyRequest', { as: owner, params: { request_id: id } })).status).toBe(200)
    expectError(await later(id), 404, 'request not found or expired', 'request_denied')
  })

  test('only its client leaves it, and a second time makes it wait no longer', async () => {
    const request = await ask(await known())
    const wrong = { ...request.client.proof(), 'x-poll-verifier': 'x'.repeat(43) }
    expectError(await leave(request, wrong), 404, 'request not found or expired')
    expect((await context(request.id)).json.left_at).toBeUndefined()
    await leave(request)
    const { expires_at } = (await context(request.id)).json
    offsetMs = HOUR_MS
    expect((await leave(request)).json).toEqual({ ok: true, left: true })
    expect((await context(request.id)).json.expires_at).toBe(expires_at)
    const { id } = request
    const headers = request.client.proof()
    expect((await api.call('withdrawRequest', { params: { request_id: id }, headers })).status).toBe(200)
    expectError(await context(id), 404, 'request not found or expired', 'request_withdrawn')
  })

  test('three stay of one terminal; of the same command the oldest goes first', async () => {
    const asked = await known()
    const other = await left({ ...asked, argv: ['npm', 'start'] })
    const same = []
    for (let run = 0; run < 4; run += 1) same.push(await left(asked))
    expect(await Promise.all([other, ...same].map(isThere))).toEqual([true, false, false, true, true])
    await left({ ...asked, argv: ['npm', 'ci'] })
    expect(await Promise.all([other, ...same].map(isThere))).toEqual([false, false, false, true, true])
  })

  test('a retry that already waits starts by the yes for the request before it', async () => {
    const asked = await known()
    const first = await left(asked)
    const dead = await ask(asked)
    const retry = await ask(asked)
    const other = await ask({ ...asked, argv: ['npm', 'start'] })
    const waiting = retry.client.waits(retry.id)
    await api.untilWaiting()
    await later(first.id)
    expect(Object.keys(retry.client.opened(await waiting))).toEqual(bundle.names)
    for (const { id } of [dead, other]) expect((await context(id)).json.status).toBe('pending')
    expect(await again(asked)).toBe('used_up')
  })

  test('a killed command: what was approved for it becomes its next run', async () => {
    const asked = await known()
    const { client, id } = await ask(asked)
    const { json } = await approve(id, { release: 'loopback' })
    const params = { request_id: id, bundle_id: bundle.id }
    expect((await api.call('getRequestBundle', { as: owner, params })).json.may_be_later).toBe(true)
    expectError(await later(id, await joinWorkspace(api, owner, 'owner')), 400, NOT_LATER)
    expect((await later(id)).status).toBe(200)
    expect((await deliveries())[0]).toMatchObject({ state: 'void' })
    expectError(
      await client.release(id, secretOf(json)),
      404,
      'request not found or expired',
      'request_later',
    )
    expect(await again(asked)).toBe('starts')
    expect(await again(asked)).toBe('used_up')
  })

  test('a killed command of a person is the same; an unknown terminal gets only a code', async () => {
    const asked = { ...(await known()), agent: undefined }
    await later((await ask(asked)).id)
    expect(await again(asked)).toBe('starts')
    const { id } = await ask(terminal())
    await approve(id, { release: 'loopback' })
    const params = { request_id: id, bundle_id: bundle.id }
    expect((await api.call('getRequestBundle', { as: owner, params })).json.may_be_later).toBeUndefined()
    expectError(await later(id), 400, NOT_LATER)
    const fresh = await api.call('createReleaseCode', { as: owner, params: { request_id: id } })
    expect(fresh.status).toBe(200)
  })

  test('what another person approved is not changed', async () => {
    const { client, id } = await ask(await known())
    const { json } = await approve(id, { release: 'loopback' }, await joinWorkspace(api, owner, 'owner'))
    expect((await later(id)).status).toBe(409)
    expect((await client.release(id, secretOf(json))).status).toBe(200)
  })

  test('a command that stops while its approval returns is asked about again', async () => {
    const request = await ask(await known())
    await approve(request.id, { release: 'loopback' })
    expect((await leave(request)).json).toEqual({ ok: true, left: true })
    expect((await deliveries())[0]).toMatchObject({ state: 'void' })
    expect((await context(request.id)).json).toMatchObject({ status: 'pending', held: null })
    expect((await later(request.id)).status).toBe(200)
  })

  test('a command that stops after its approval returned withdraws', async () => {
    const request = await ask(await known())
    const { json } = await approve(request.id, { release: 'loopback' })
    await request.client.release(request.id, secretOf(json))
    expect((await leave(request)).json).toEqual({ ok: true })
  })

  test.each<[string, (person: Identity) => Promise<unknown>, string]>([
    [
      'its person is removed',
      (person) => api.call('removeMember', { as: owner, params: { user_id: person.userId } }),
      'person_removed',
    ],
    [
      'its person gets another role',
      (person) =>
        api.call('changeMemberRole', {
          as: owner,
          params: { user_id: person.userId },
          body: { role: 'member' },
        }),
      'role_changed',
    ],
    ['its person signs out', (person) => api.call('revokeOwnGrants', { as: person }), 'signed_out'],
    ['a rule changes', () => rules(bundle, { agents: 'ask' }), 'policy_changed'],
    ['a tag says production', () => tag('prod'), 'policy_changed'],
  ])('between the yes and the run, %s: a person is asked', async (_, change, why) => {
    const person = await joinWorkspace(api, owner, 'owner')
    await rules(bundle, { remember_hours: 8 })
    const asked = await known({}, person)
    expect((await later((await left(asked)).id, person)).status).toBe(200)
    await change(person)
    expect(await again(asked)).toBe(why)
  })

  test.each<[string, (person: Identity) => Promise<unknown>]>([
    [
      'its person gets another role',
      (person) =>
        api.call('changeMemberRole', {
          as: owner,
          params: { user_id: person.userId },
          body: { role: 'member' },
        }),
    ],
    ['its person signs out', (person) => api.call('revokeOwnGrants', { as: person })],
    ['a rule changes', () => rules(bundle, { agents: 'ask' })],
    ['a tag says production', () => tag('prod')],
  ])('between the leave and the yes, %s: it cannot be approved', async (_, change) => {
    const person = await joinWorkspace(api, owner, 'owner')
    await rules(bundle, { remember_hours: 8 })
    const { id } = await left(await known({}, person))
    await change(person)
    expectError(await later(id, person), 400, NOT_LATER)
  })

  test('values under a stricter rule of another bundle are not left', async () => {
    const asked = await known()
    const other = await bundleOf()
    const keys = (await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })).json
    const params = { bundle_id: other.id, key_id: keys[0]?.id ?? '' }
    await rules(other, { assurance: 'local' })
    await later((await left(asked)).id)
    await api.call('attachKey', { as: owner, params, body: { as: 'SHARED' } })
    expect(await again(asked)).toBe('policy_changed')
    expect((await ask(asked)).json.may_leave).toBeUndefined()
  })

  test('names and deposits have no next run', async () => {
    const client = new ReturningClient(api)
    const names = await client.request(['code'], { kind: 'names', bundle_id: bundle.name })
    expect((await later(names)).status).toBe(409)
    expect((await leave({ client, id: names })).json).toEqual({ ok: true })
  })

  test('for a client of the plain interface nothing changes', async () => {
    const client = new ReturningClient(api)
    const { json } = await client.ask({ bundle_id: bundle.name })
    expect(Object.keys(json).toSorted()).toEqual(
      ['assurance', 'expires_in', 'id', 'interval', 'user_code', 'verification_uri_complete'].toSorted(),
    )
    expect(json.expires_in).toBe(TIMES.requestTtlSeconds)
    expect(Object.keys((await context(json.id)).json)).not.toContain('left_at')
    expectError(await later(json.id), 400, NOT_LATER)
    expect((await approve(json.id, {})).json).toEqual({ ok: true })
  })
})
