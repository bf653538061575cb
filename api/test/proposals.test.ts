import { randomUUID } from 'node:crypto'
import { LIMITS, TIMES } from '@keyferry/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyValues } from '../src/main.ts'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type Identity,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
} from './api.ts'
import { newBundle } from './approval-client.ts'
import {
  bundleValues,
  DepositClient,
  planOf,
  propose,
  proposed,
  proposeWith,
  storeDeposit,
} from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'

const INACTIVE = { is_active: false }
const DAY_MS = 24 * 60 * 60 * 1_000

describe.each(oneDatabase)('proposals on %s', (kind) => {
  let api: TestApi
  let database: Database
  let owner: Identity
  let member: Identity
  let now = Date.now()
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      now: () => new Date(now),
      sweepSeconds: 0.05,
    })
    database = await openDatabaseOf(api)
  })
  beforeEach(async () => {
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const ownersBundle = (values: Record<string, string | { value: string; is_secret: boolean }> = {}) =>
    newBundle(api, owner, values)
  const listed = async (as: Identity) => (await api.call('listProposals', { as })).json
  const stateOf = async (id: string) => (await listed(owner)).find((each) => each.id === id)?.state
  const plan = (proposal_id: string, body = {}, as = owner) =>
    api.call('planProposal', { as, params: { proposal_id }, body })
  const accept = async (proposal_id: string, choice = {}, as = owner) => {
    const planned = await plan(proposal_id, choice)
    if (planned.failure) return planned
    const body = { plan_id: planned.json.plan_id, ...choice }
    return await api.call('acceptProposal', { as, params: { proposal_id }, body })
  }
  const end = (proposal_id: string, as: Identity) => api.call('endProposal', { as, params: { proposal_id } })
  const actions = async (limit: number) => {
    const { json } = await api.call('listAudit', { as: owner, query: { limit: String(limit) } })
    return json.map(({ action }) => action).toSorted()
  }
  const storedValue = (id: string) =>
    database.query.selectFrom('proposals').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('the newest proposal comes first', async () => {
    const { name: bundle } = await ownersBundle()
    const sent: string[] = []
    for (const value of ['1', '2', '3', '4', '5', '6']) {
      now += 1_000
      sent.unshift((await proposed(api, member, { bundle, values: { NEW: value } })).id)
    }
    expect((await listed(owner)).map(({ id }) => id)).toEqual(sent)
  })

  test('what a member may not store is kept until an owner stores it; the owner is who set it', async () => {
    const bundle = await ownersBundle({ OLD: 'before' })
    const sent = await proposed(api, member, {
      bundle: bundle.name,
      values: { OLD: 's3cret', NEW: 'n' },
    })
    expect(sent.plan.json).toMatchObject({ plan: [], proposal: { values: {} }, may_approve: true })
    const { id } = sent
    expect(sent.outcome).toEqual({
      status: 'proposed',
      proposal: {
        id,
        bundle: { name: bundle.name },
        workspace: { id: owner.tenantId, name: expect.any(String) },
        expires_at: new Date(now + TIMES.proposalSeconds * 1_000).toISOString(),
      },
    })
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ OLD: 'before' })
    const [shown] = await listed(owner)
    expect(shown).toMatchObject({ id, state: 'open', proposer: { id: member.userId }, detach: [] })
    const planned = await plan(id)
    expect(planned.json.plan.map(({ name, action }) => [name, action])).toEqual([
      ['OLD', 'update'],
      ['NEW', 'create'],
    ])
    expect(planned.text).not.toMatch(/s3cret|before/)
    expect((await accept(id)).status).toBe(200)
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ OLD: 's3cret', NEW: 'n' })
    expect(await stateOf(id)).toBe('stored')
    const set = await database.query
      .selectFrom('keys')
      .select(['value_set_by', 'value_proposed_by'])
      .where('tenant_id', '=', owner.tenantId)
      .execute()
    const theirs = { value_set_by: owner.userId, value_proposed_by: member.userId }
    expect(set).toEqual([theirs, theirs])
    const key_id = planned.json.plan[0]?.key_id ?? ''
    const versions = await api.call('listKeyVersions', { as: owner, params: { key_id } })
    expect(versions.json.map(({ proposed_by }) => proposed_by?.id)).toEqual([member.userId, undefined])
    expect((await accept(id)).status).toBe(404)
  })

  test('values at rest are encrypted, bound to what an owner sees, and verified', async () => {
    const bundle = await ownersBundle()
    const values = { SECRET_A: 'marked-a', SECRET_B: 'marked-b' }
    const id = await propose(api, member, { bundle: bundle.name, values })
    const row = await storedValue(id)
    expect(Buffer.from(row.value ?? []).includes('marked')).toBe(false)
    expect((await verifyValues(api.settings)).failures).toEqual([])
    const other = await ownersBundle()
    const swapped = JSON.stringify(JSON.parse(row.entries).toReversed())
    const read = JSON.stringify([
      { name: 'SECRET_A', is_secret: false },
      { name: 'SECRET_B', is_secret: false },
    ])
    for (const edit of [
      { entries: swapped },
      { entries: read },
      { bundle_id: other.id },
      { user_id: owner.userId },
      { detach: '["X"]' },
    ]) {
      await database.query.updateTable('proposals').set(edit).where('id', '=', id).execute()
      expect((await plan(id)).status).toBe(500)
      const { failures } = await verifyValues(api.settings)
      expect(failures.map((each) => [each.table, each.id])).toEqual([['proposals', id]])
      await database.query.updateTable('proposals').set(row).where('id', '=', id).execute()
    }
  })

  test('an owner reads a value that its proposer marked as not secret, or whose key is not secret', async () => {
    const bundle = await ownersBundle({ URL: { value: 'http://old', is_secret: false }, TOKEN: 'old' })
    const values = {
      URL: 'http://new',
      TOKEN: 'hidden',
      PORT: ['8080', false] as const,
      HOST: 'shown.example',
    }
    const id = await propose(api, member, { bundle: bundle.name, values, readable: ['HOST'] })
    const { plan: steps } = (await plan(id)).json
    expect(steps.map(({ name, old_value, new_value }) => [name, old_value, new_value])).toEqual([
      ['URL', 'http://old', 'http://new'],
      ['TOKEN', undefined, undefined],
      ['PORT', undefined, '8080'],
      ['HOST', undefined, 'shown.example'],
    ])
    expect(steps.map(({ is_secret }) => is_secret)).toEqual([false, true, true, true])
    expect((await accept(id, { marks: { PORT: false } })).status).toBe(200)
    const keys = await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })
    const stored = keys.json.map(({ name, value }) => [name, value])
    expect(stored).toContainEqual(['PORT', '8080'])
    expect(stored).toContainEqual(['URL', 'http://new'])
    expect(stored).toContainEqual(['TOKEN', '*****'])
  })

  test('nothing is shared, replaced, composed or compared unless an owner chooses it', async () => {
    const other = await ownersBundle({ SAME: 'equal', COMMON: 'theirs' })
    const bundle = await ownersBundle()
    const common = (await api.call('listKeys', { as: owner, query: { query: 'COMMON' } })).json[0]?.id ?? ''
    await api.call('attachKey', { as: owner, params: { bundle_id: bundle.id, key_id: common } })
    const values = { SAME: 'equal', COMMON: 'mine' }
    const id = await propose(api, member, { bundle: bundle.name, values })
    const planned = await plan(id)
    expect(planned.json.plan.map(({ action }) => action)).toEqual(['own', 'own'])
    expect((await plan(id, { replace: ['COMMON'] })).json).toMatchObject({ changes: [other.name] })
    expect((await accept(id)).status).toBe(200)
    expect(await bundleValues(api, owner, other.name)).toEqual({ SAME: 'equal', COMMON: 'theirs' })
    expect(await bundleValues(api, owner, bundle.name)).toEqual(values)
    const composed = await ownersBundle({ PART: 'p' })
    await newTemplate(composed.id)
    const ended = await propose(api, member, { bundle: composed.name, values: { WHOLE: 'literal' } })
    expect((await plan(ended)).json.plan).toMatchObject([{ action: 'kept', choices: ['replace'] }])
  })

  async function newTemplate(bundle_id: string) {
    const body = { name: 'WHOLE', value: 'x-${PART}', is_template: true }
    const { json } = await api.call('createKey', { as: owner, body })
    await api.call('attachKey', { as: owner, params: { bundle_id, key_id: json.id } })
  }

  test('a library that changed after the plan gives a new plan, and stores nothing', async () => {
    const bundle = await ownersBundle({ RACED: 'one' })
    const id = await propose(api, member, { bundle: bundle.name, values: { RACED: 'mine' } })
    const { plan_id } = (await plan(id)).json
    const client = new DepositClient(api)
    const requestId = await client.deposit(bundle.name, { RACED: 'two' })
    await storeDeposit(api, owner, { client, requestId })
    const stale = await api.call('acceptProposal', {
      as: owner,
      params: { proposal_id: id },
      body: { plan_id },
    })
    expect([stale.status, stale.failure?.code]).toEqual([409, 'plan_changed'])
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ RACED: 'two' })
    await api.call('updateBundle', {
      as: owner,
      params: { bundle_id: bundle.id },
      body: { name: `r/${randomUUID()}` },
    })
    expect((await plan(id)).json.bundle_id).toBe(bundle.id)
    await api.call('deleteBundle', { as: owner, params: { bundle_id: bundle.id } })
    const namesake = await api.call('createBundle', { as: owner, body: { name: bundle.name } })
    expect(namesake.status).toBe(201)
    expect((await plan(id)).failure?.error).toContain('was deleted')
    expect((await end(id, owner)).status).toBe(200)
  })

  test('only owners decide; a member sees and withdraws their own', async () => {
    const bundle = await ownersBundle({ MINE: 'v' })
    const id = await propose(api, member, { bundle: bundle.name, values: { MINE: 'w' } })
    const { plan_id } = (await plan(id)).json
    const own = await api.call('acceptProposal', {
      as: member,
      params: { proposal_id: id },
      body: { plan_id },
    })
    expect([own.status, (await plan(id, {}, member)).status]).toEqual([403, 403])
    const other = await joinWorkspace(api, owner, 'member')
    expect(await listed(other)).toEqual([])
    expect((await end(id, other)).status).toBe(404)
    const foreign = await api.newOwner()
    expect([(await end(id, foreign)).status, (await plan(id, {}, foreign)).status]).toEqual([404, 404])
    expect((await end(id, member)).status).toBe(200)
    expect((await listed(member)).map(({ state }) => state)).toEqual(['withdrawn'])
    expect((await accept(id)).status).toBe(404)
    expect((await actions(1))[0]).toBe('proposal.withdrawn')
  })

  test('a declined one is destroyed, and its proposer learns only that', async () => {
    const bundle = await ownersBundle({ GUESS: 'v' })
    const id = await propose(api, member, { bundle: bundle.name, values: { GUESS: 'v' } })
    expect((await end(id, owner)).status).toBe(200)
    expect(await storedValue(id)).toMatchObject({ value: null, sender: null, state: 'declined' })
    const [seen] = await listed(member)
    expect(seen).toMatchObject({ state: 'declined', entries: [{ name: 'GUESS', is_secret: true }] })
    expect(await actions(3)).toEqual(['deposit.approved', 'proposal.created', 'proposal.declined'])
  })

  test.each([
    [
      'is removed',
      (person: Identity) => api.call('removeMember', { as: owner, params: { user_id: person.userId } }),
    ],
    [
      'leaves',
      (person: Identity) => api.call('removeMember', { as: person, params: { user_id: person.userId } }),
    ],
    [
      'is deactivated',
      ({ idpUserId }: Identity & { idpUserId: string }) =>
        api.call('changeProvidedUser', {
          params: { idp_user_id: idpUserId },
          body: INACTIVE,
          headers: layerHeaders('PUT', `/api/v1/users/${idpUserId}`, INACTIVE, new Date(now)),
        }),
    ],
  ])('the proposals of a person who %s are destroyed', async (_how, leave) => {
    const leaver = await joinWorkspace(api, owner, 'member')
    const bundle = await ownersBundle({ LEFT: 'v' })
    const id = await propose(api, leaver, { bundle: bundle.name, values: { LEFT: 'w' } })
    const { plan_id } = (await plan(id)).json
    expect((await leave(leaver)).status).toBe(200)
    expect(await storedValue(id)).toMatchObject({ value: null, state: 'withdrawn' })
    const late = await api.call('acceptProposal', {
      as: owner,
      params: { proposal_id: id },
      body: { plan_id },
    })
    expect(late.status).toBe(404)
  })

  test('a newer one takes the place of those that it covers, and of no other person', async () => {
    const bundle = await ownersBundle({ A: '1', B: '1' })
    const give = (as: Identity, values: Record<string, string>) =>
      propose(api, as, { bundle: bundle.name, values })
    const other = await joinWorkspace(api, owner, 'member')
    const theirs = await give(other, { A: 'theirs' })
    const first = await give(member, { A: 'first' })
    const { plan_id } = (await plan(first)).json
    const second = await give(member, { A: 'second', B: 'second' })
    const third = await give(member, { B: 'third' })
    expect(await Promise.all([theirs, first, second, third].map(stateOf))).toEqual([
      'open',
      'withdrawn',
      'open',
      'open',
    ])
    const replaced = await api.call('acceptProposal', {
      as: owner,
      params: { proposal_id: first },
      body: { plan_id },
    })
    expect(replaced.status).toBe(404)
  })

  test('a person has 20 open ones at most, and a replaced one makes room', async () => {
    const bundle = await ownersBundle()
    for (let count = 0; count < LIMITS.personProposals; count++)
      await propose(api, member, { bundle: bundle.name, values: { [`FLOOD_${count}`]: 'v' } })
    const flooded = await proposed(api, member, { bundle: bundle.name, values: { ONE_MORE: 'v' } })
    expect([flooded.ended.status, flooded.ended.failure?.code]).toEqual([409, 'workspace_full'])
    await propose(api, member, { bundle: bundle.name, values: { FLOOD_0: 'again' } })
    const other = await joinWorkspace(api, owner, 'member')
    await propose(api, other, { bundle: bundle.name, values: { FLOOD_0: 'v' } })
  })

  test('after seven days it expires, and seven days later nothing of it is left', async () => {
    const bundle = await ownersBundle({ LATE: 'v' })
    const id = await propose(api, member, { bundle: bundle.name, values: { LATE: 'w' } })
    now += 7 * DAY_MS + 1_000
    await expect.poll(() => stateOf(id)).toBe('expired')
    expect((await storedValue(id)).value).toBeNull()
    now += 7 * DAY_MS + 1_000
    await expect.poll(() => listed(member)).toEqual([])
  })

  test('names are removed by a proposal too', async () => {
    const bundle = await ownersBundle({ GONE: 'v', STAYS: 'v' })
    const id = await propose(api, member, { bundle: bundle.name, detach: ['GONE'] })
    expect((await plan(id)).json.plan).toMatchObject([{ name: 'GONE', action: 'detach' }])
    expect((await accept(id)).status).toBe(200)
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ STAYS: 'v' })
  })

  test('a rule about who approves makes a proposal of what the member could store', async () => {
    const made = await api.call('createBundle', { as: member, body: { name: `own/${randomUUID()}` } })
    const params = { bundle_id: made.json.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { approvers: 'owner' } })
    const id = await propose(api, member, { bundle: made.json.name, values: { RULED_BY_OWNER: 'v' } })
    expect(await stateOf(id)).toBe('open')
    await api.call('changeBundlePolicy', { as: owner, params, body: { agents: 'deny' } })
    const agent = await new DepositClient(api).deposit(
      made.json.name,
      { A: 'v' },
      { meta: { agent: 'claude-code' } },
    )
    expect((await planOf(api, member, agent)).json).toMatchObject({ why_not: { code: 'agents_denied' } })
    const body = { plan_id: (await planOf(api, member, agent)).json.plan_id, propose: {} }
    const refused = await api.call('approveDeposit', { as: member, params: { request_id: agent }, body })
    expect(refused.failure?.code).toBe('agents_denied')
  })

  test('where approvals must return, a click proposes nothing', async () => {
    const bundle = await ownersBundle({ HELD: 'v' })
    await api.call('changeBundlePolicy', {
      as: owner,
      params: { bundle_id: bundle.id },
      body: { assurance: 'bound' },
    })
    const click = await new DepositClient(api).deposit(bundle.name, { HELD: 'w' })
    const body = { plan_id: (await planOf(api, member, click)).json.plan_id, propose: { readable: [] } }
    const clicked = await api.call('approveDeposit', { as: member, params: { request_id: click }, body })
    expect(clicked.failure?.code).toBe('release_required')
    const held = await proposeWith(api, member, {
      bundle: bundle.name,
      values: { HELD: 'w' },
      release: 'code',
    })
    expect(await listed(owner)).toEqual([])
    expect((await held.client.release(held.params.request_id, secretOf(held.approved.json))).status).toBe(200)
    expect((await listed(owner)).map(({ state }) => state)).toEqual(['open'])
    const removed = await proposeWith(api, member, {
      bundle: bundle.name,
      values: { HELD: 'x' },
      release: 'code',
    })
    await api.call('removeMember', { as: owner, params: { user_id: member.userId } })
    const late = await removed.client.release(removed.params.request_id, secretOf(removed.approved.json))
    expect(late.status).toBe(409)
    expect((await listed(owner)).map(({ state }) => state)).toEqual(['withdrawn'])
  })
})
