import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { array, assert, asyncProperty, oneof, stringMatching } from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../plumbing/test/until.ts'
import { reaches } from '../src/domain/people/reach.ts'
import { auditKeyIn } from '../src/maintenance.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { within } from '../src/storage/reach/reached-rows.ts'
import {
  expectError,
  type Identity,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
} from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { approveDeposit, DepositClient } from './deposit-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { writeTouch } from './written-rules.ts'

const NO_BUNDLE = 'bundle not found'
const NOT_IN_REACH = 'You see only partner/ in this workspace: choose a name that fits'
const NOT_FOUND = 'request not found or expired'
const OWNERS = 'Forbidden: owner role required'
const SEEN = 'partner/shop'
const HIDDEN = 'hidden/shop'
const unique = () => randomUUID().slice(0, 8)

const many = (group: number) => Array.from({ length: 20 }, (_, n) => `many${group}/${n}/`)

describe.each(oneDatabase)('limited members on %s', (kind) => {
  let api: TestApi
  let database: Database
  let owner: Identity
  let limited: Identity
  const provided: Record<string, string> = {}
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], providedGroups: provided })
    database = await openDatabaseOf(api)
    await auditKeyIn(database, api.settings, new Date().toISOString())
    owner = await api.newOwner()
    limited = await join(['partner/'])
    await store(SEEN, { OWN_URL: 'own' })
    await store(HIDDEN, { HIDDEN_URL: 'hidden' })
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const join = async (
    limited_to?: string[],
    groups?: string[],
  ): Promise<Identity & { idpUserId: string }> => {
    const email = `${randomUUID()}@example.com`
    const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
    const { json } = await api.call('ensureUser', { body })
    const invited = await api.call('createInvitation', {
      as: owner,
      body: { email, role: 'member', limited_to, groups },
    })
    const as = { userId: json.user_id, tenantId: json.tenant_id }
    await api.call('acceptInvitation', { as, body: { token: invited.json.token } })
    return { userId: as.userId, tenantId: owner.tenantId, idpUserId: body.idp_user_id }
  }
  const limit = (userId: string, limited_to: string[] | null) =>
    api.call('changeMemberLimit', { as: owner, params: { user_id: userId }, body: { limited_to } })
  const store = async (bundle: string, values: Record<string, string>, as = owner) => {
    const entries = Object.entries(values).map(([name, value]) => ({ name, value }))
    const answer = await api.call('importVariables', { as, body: { bundle, entries } })
    expect(answer.status).toBe(200)
    return answer.json
  }
  const idOf = async (bundle: string) => {
    const { json } = await api.call('listBundles', { as: owner, query: { query: bundle } })
    return json.find(({ name }) => name === bundle)?.id ?? ''
  }
  const keyOf = async (bundle: string, name: string) => {
    const { json } = await api.call('listBundleKeys', {
      as: owner,
      params: { bundle_id: await idOf(bundle) },
    })
    return json.find((key) => key.name === name)?.id ?? ''
  }

  /** A bundle within reach that contains a key of one that is not. */
  const shared = async () => {
    const name = `K_${unique()}`.toUpperCase()
    const [inside, outside] = [`partner/${unique()}`, `hidden/${unique()}`]
    const { plan } = await store(outside, { [name]: 'first' })
    const key_id = plan[0]?.key_id ?? ''
    const bundle = await api.call('createBundle', { as: limited, body: { name: inside } })
    const params = { bundle_id: bundle.json.id, key_id }
    expect((await api.call('attachKey', { as: owner, params, body: { as: name } })).status).toBe(201)
    return { name, inside, outside, params }
  }

  test('what they did names only bundles within reach', async () => {
    const bundle = `partner/${unique()}`
    const { plan } = await store(bundle, { PLACED_URL: 'own' }, limited)
    const params = { bundle_id: await idOf(HIDDEN), key_id: plan[0]?.key_id ?? '' }
    expect((await api.call('attachKey', { as: owner, params })).status).toBe(201)
    const placesOf = async (as: Identity) => {
      const { json } = await api.call('listAudit', { as: owner, query: { target: params.key_id } })
      const own = as === owner ? json : (await api.call('listOwnAudit', { as })).json
      return own.find(({ target }) => target.id === params.key_id)?.target.bundles?.map(({ name }) => name)
    }
    expect(await placesOf(owner)).toEqual([HIDDEN, bundle])
    expect(await placesOf(limited)).toEqual([bundle])
  })

  test('names and ids of bundles that are out of reach are in no answer', async () => {
    const both = await shared()
    const machine = await api.call('createMachine', { as: owner, body: { name: `hidden-${unique()}` } })
    const params = { machine_id: machine.json.id, bundle_id: await idOf(HIDDEN), user_id: limited.userId }
    await api.call('grantBundle', { as: owner, params, body: { scope: 'read' } })
    await api.call('changeTenantPolicy', { as: owner, body: { folder: 'hidden/', approvals_needed: 2 } })
    await approve(owner, HIDDEN, ['HIDDEN_URL'])
    const reads = Object.entries(apiEndpoints).filter(
      ([, { method, access }]) => method === 'GET' && access === 'member',
    )
    const known = { ...both.params, ...params, bundle_id: both.params.bundle_id }
    const query = { places: '1', facts: '1', uses: '1', by: 'machine', days: '7', folder: 'hidden/' }
    for (const [name] of reads) {
      for (const asked of [{}, query]) {
        const answer = await api.call(name as ApiEndpointName, { as: limited, params: known, query: asked })
        const named = answer.text.toLowerCase().includes('hidden')
        expect({ name, named }).toEqual({ name, named: false })
      }
    }
    const uses = await api.call('getKey', { as: limited, params: both.params })
    expect(uses.json).toMatchObject({ used_in_bundles: 1, bundles: [{ name: both.inside }] })
    const list = await api.call('listBundles', { as: limited })
    expect(list.headers.get('x-total-count')).toBe(String(list.json.length))
    const keys = await api.call('listKeys', { as: limited })
    expect(keys.headers.get('x-total-count')).toBe(String(keys.json.length))
    expect(keys.json.map(({ name }) => name)).toContain(both.name)
    await api.call('changeTenantPolicy', { as: owner, body: { folder: 'hidden/', approvals_needed: null } })
  })

  test('a filter by what is out of reach answers as one by what does not exist', async () => {
    const ids = [await idOf(HIDDEN), await keyOf(HIDDEN, 'HIDDEN_URL'), randomUUID()]
    const answers = async (call: (id: string) => Promise<{ status: number; text: string }>) =>
      new Set((await Promise.all(ids.map(call))).map(({ status, text }) => `${status} ${text}`))
    const as = limited
    const reads = [
      await answers((target) => api.call('listOwnAudit', { as, query: { target } })),
      await answers((target) => api.call('countAuditDays', { as, query: { target, time_zone: 'UTC' } })),
      await answers((id) => api.call('findKeyUses', { as, body: { key_ids: [id] } })),
      await answers((id) => api.call('listKeyVersions', { as, params: { key_id: id } })),
      await answers((id) => api.call('compareBundles', { as, query: [['bundle_id', id]] })),
    ]
    expect(reads.map(({ size }) => size)).toEqual(reads.map(() => 1))
    const names = [HIDDEN, 'hidden/none', 'partner/none']
    const taken = names.map((from) => {
      const body = { bundle: SEEN, entries: [{ name: 'HIDDEN_URL', from }], dry_run: true }
      return api.call('importVariables', { as, body })
    })
    expect(new Set((await Promise.all(taken)).map(({ text }) => text)).size).toBe(1)
    const request_id = await new ApprovalClient(api).asked()
    const body = { bundle_id: ids[0], include_keys: ['HIDDEN_URL'], also: [request_id] }
    expectError(await api.call('encryptFromBundle', { as, params: { request_id }, body }), 404, NO_BUNDLE)
  })

  test('a page that begins where a wider reach ended shows and counts only what is within reach', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ adds: ['hidden/'], people: [person.userId] })
    const read = async (as: Identity, name: 'listBundles' | 'listKeys', offset: number) => {
      const { json, headers } = await api.call(name, { as, query: { limit: '1', offset: String(offset) } })
      return [json.map((each) => each.name), Number(headers.get('x-total-count'))] as const
    }
    for (const name of ['listBundles', 'listKeys'] as const) {
      const [, total] = await read(person, name, 0)
      const [, least] = await read(limited, name, 0)
      expect(total).toBeGreaterThan(least)
      await changeGroup(params, { people: [] })
      expect(await read(person, name, total - 1)).toEqual([[], least])
      expect(await read(person, name, least - 1)).toEqual(await read(limited, name, least - 1))
      await changeGroup(params, { people: [person.userId] })
    }
    const stranger = await api.newOwner()
    expect((await api.call('listKeys', { as: { ...person, tenantId: stranger.tenantId } })).status).toBe(403)
    await api.call('removeMember', { as: owner, params: { user_id: person.userId } })
    expect((await api.call('listKeys', { as: person })).status).toBe(403)
  })

  test('the database finds the bundles that the rule names', async () => {
    const name = stringMatching(/^[abAB_-]{1,2}(\/[abAB_-]{1,2}){0,2}$/)
    const pattern = oneof(
      name,
      name.map((each) => `${each}/`),
      stringMatching(/^\*\/[abAB_-]{1,2}$/),
    )
    await assert(
      asyncProperty(
        array(name, { minLength: 1, maxLength: 8 }),
        array(pattern, { minLength: 1, maxLength: 3 }),
        async (names, patterns) => {
          const { userId } = owner
          const tenantId = (await api.newOwner()).tenantId
          const moment = new Date().toISOString()
          const facts = { description: '', tags: '', production: 'by_name', created_by: userId } as const
          const stamps = { created_at: moment, updated_at: moment, updated_by: userId }
          const rows = [...new Set(names)].map((each) => ({
            id: randomUUID(),
            tenant_id: tenantId,
            name: each,
          }))
          await database.query
            .insertInto('bundles')
            .values(rows.map((row) => ({ ...row, ...facts, ...stamps })))
            .execute()
          const reach = { patterns, since: '' }
          const seen = within(database.query, { tenantId, userId, reach }, database)
          const byName = seen.selectFrom('bundles').select('name')
          const found = await byName.union(byName).execute()
          const expected = rows.filter((row) => reaches(reach, row.name))
          expect(found.map((row) => row.name).toSorted()).toEqual(expected.map((row) => row.name).toSorted())
        },
      ),
      { numRuns: 25 },
    )
  })

  test('a new bundle within reach is seen at once, and none is made, renamed or copied out of it', async () => {
    const name = `partner/${unique()}`
    await store(name, { A_URL: 'a' })
    const list = await api.call('listBundles', { as: limited, query: { query: name } })
    expect(list.json).toHaveLength(1)
    const own = await api.call('createBundle', { as: limited, body: { name: `partner/${unique()}` } })
    expect(own.status).toBe(201)
    const params = { bundle_id: own.json.id }
    for (const out of [HIDDEN, 'partner', 'partnership/shop', `hidden/${unique()}`]) {
      const answers = [
        await api.call('createBundle', { as: limited, body: { name: out } }),
        await api.call('updateBundle', { as: limited, params, body: { name: out } }),
        await api.call('duplicateBundle', { as: limited, params, body: { name: out } }),
        await api.call('importVariables', {
          as: limited,
          body: { bundle: out, entries: [{ name: 'B_URL', value: 'b' }] },
        }),
      ]
      for (const answer of answers) expectError(answer, 404, NOT_IN_REACH, 'not_found')
    }
    const renamed = await api.call('updateBundle', {
      as: limited,
      params,
      body: { name: `Partner/${unique()}` },
    })
    expect(renamed.status).toBe(200)
    const moved = await api.call('updateBundle', { as: owner, params, body: { name: `hidden/${unique()}` } })
    expect(moved.status).toBe(200)
    expectError(await api.call('getBundle', { as: limited, params }), 404, NO_BUNDLE, 'not_found')
  })

  test('a deposit for a bundle out of reach is neither planned nor proposed', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(HIDDEN, { HIDDEN_URL: 'guess' })
    const params = { request_id: id }
    expectError(
      await api.call('planDeposit', { as: limited, params, body: {} }),
      404,
      NOT_IN_REACH,
      'not_found',
    )
    const body = { plan_id: 'x', release: 'code', propose: { readable: [] } }
    expectError(
      await api.call('approveDeposit', { as: limited, params, body }),
      404,
      NOT_IN_REACH,
      'not_found',
    )
  })

  test('a name of a key that is taken out of reach makes an own key with the same delivered name', async () => {
    const [taken, free] = ['HIDDEN_URL', `FREE_${unique().toUpperCase()}`]
    const bundle = `partner/${unique()}`
    const done = await store(bundle, { [taken]: 'hidden', [free]: 'x' }, limited)
    const prefix = bundle.replace('/', '_').replaceAll('-', '_').toUpperCase()
    expect(done.plan).toMatchObject([
      { name: taken, action: 'create', key_name: `${prefix}_${taken}`, shared_total: 0 },
      { name: free, action: 'create', key_name: `${prefix}_${free}` },
    ])
    expect(await keyOf(bundle, taken)).not.toBe(await keyOf(HIDDEN, taken))
    const listed = { bundle, entries: [{ name: 'FROM', from: HIDDEN }] }
    const from = await api.call('importVariables', { as: limited, body: listed })
    expect([from.status, from.text]).toEqual([400, expect.not.stringContaining('hidden')])
    const loose = await api.call('createKey', { as: limited, body: { name: taken, value: 'x' } })
    expectError(loose, 403, 'You see only some bundles: add the variable to one of them', 'forbidden')
    expect((await api.call('getMe', { as: limited })).json.may).toEqual([])
  })

  test('a key that a bundle out of reach contains too can be requested, and not changed, shared, copied or restored', async () => {
    const { name, inside, params } = await shared()
    const client = await approve(limited, inside, [name])
    expect(client).toEqual({ [name]: 'first' })
    const other = await api.call('createBundle', { as: limited, body: { name: `partner/${unique()}` } })
    const place = { bundle_id: other.json.id, key_id: params.key_id }
    const entries = [{ name, value: 'mine' }]
    const promoted = async () => {
      const bundle = `partner/${unique()}`
      await store(bundle, { [name]: 'mine' }, limited)
      const body = { bundle, entries: [{ name, from: inside }], own: [name] }
      return await api.call('importVariables', { as: limited, body })
    }
    const refused = [
      await api.call('updateKey', { as: limited, params, body: { value: 'mine' } }),
      await api.call('restoreKeyVersion', { as: limited, params, body: { version: 1 } }),
      await api.call('attachKey', { as: limited, params: place }),
      await api.call('splitKey', { as: limited, params, body: { value: 'mine' } }),
      await api.call('duplicateBundle', { as: limited, params, body: { name: `partner/${unique()}` } }),
      await api.call('changeKeys', {
        as: limited,
        body: { action: 'attach', bundle_id: other.json.id, key_ids: [params.key_id] },
      }),
      await api.call('importVariables', { as: limited, body: { bundle: inside, entries } }),
      await api.call('importVariables', {
        as: limited,
        body: { bundle: other.json.name, entries: [{ name, from: inside }] },
      }),
      await promoted(),
    ]
    for (const answer of refused) expectError(answer, 403, OWNERS, 'forbidden')
    for (const { failure } of refused) expect(JSON.stringify(failure)).not.toContain('hidden')
    const own = await store(`partner/${unique()}`, { OWN: 'a' }, limited)
    const template = { value: `x-\${${name}}`, is_template: true }
    const key_id = own.plan[0]?.key_id ?? ''
    const part = await api.call('updateKey', { as: limited, params: { key_id }, body: template })
    expectError(part, 403, 'You see only some bundles: an owner composes values for you', 'forbidden')
    expect(
      (await api.call('updateKey', { as: limited, params: { key_id }, body: { value: 'b' } })).status,
    ).toBe(200)
  })

  test('the rules of a bundle out of reach count for a value that it shares', async () => {
    const { name, inside, outside, params } = await shared()
    const bundle_id = await idOf(outside)
    await api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { approvers: 'owner' } })
    const requestId = await new ApprovalClient(api).asked({ bundle_id: inside })
    const answer = await approveWith(api, limited, {
      requestId,
      bundle_id: params.bundle_id,
      include_keys: [name],
    })
    expect([answer.status, answer.failure?.error]).toEqual([403, expect.stringContaining('another bundle')])
    expect(answer.text).not.toContain('hidden')
  })

  test('the id of a key out of reach tells nothing, whatever rules it has', async () => {
    const { outside } = await shared()
    const name = `SECRET_${unique()}`.toUpperCase()
    const { plan } = await store(outside, { [name]: 'v' })
    const bundle_id = await idOf(outside)
    await api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { approvals_needed: 2 } })
    const body = { key_ids: [plan[0]?.key_id ?? ''], bundle_id: await idOf(SEEN) }
    const uses = await api.call('findKeyUses', { as: limited, body })
    const unknown = await api.call('findKeyUses', { as: limited, body: { ...body, key_ids: [randomUUID()] } })
    expect([uses.status, uses.text]).toEqual([200, unknown.text])
    const asOwner = await api.call('findKeyUses', { as: owner, body })
    expect(asOwner.json.weaker).toEqual([expect.stringContaining(name)])
  })

  test('a limit stays with a membership that moves', async () => {
    const email = `${randomUUID()}@example.com`
    const signIn = async () => {
      const user = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
      const { json } = await api.call('ensureUser', { body: user })
      return { userId: json.user_id, tenantId: json.tenant_id }
    }
    const [before, after] = [await signIn(), await signIn()]
    const invite = async (more: object, as: Identity) => {
      const body = { email, role: 'member', ...more }
      const { json } = await api.call('createInvitation', { as: owner, body })
      return api.call('acceptInvitation', { as, body: { token: json.token } })
    }
    await invite({ limited_to: ['partner/'] }, before)
    expect((await invite({ replaces: before.userId }, after)).status).toBe(200)
    const params = { bundle_id: await idOf(HIDDEN) }
    const moved = { userId: after.userId, tenantId: owner.tenantId }
    expectError(await api.call('getBundle', { as: moved, params }), 404, NO_BUNDLE, 'not_found')
    expect((await api.call('getBundle', { as: moved, params: { bundle_id: await idOf(SEEN) } })).status).toBe(
      200,
    )
  })

  const approve = async (as: Identity, bundle: string, include_keys: string[]) => {
    const client = new ApprovalClient(api)
    const requestId = await client.asked({ bundle_id: bundle })
    const answer = await approveWith(api, as, { requestId, bundle_id: await idOf(bundle), include_keys })
    if (answer.status !== 200) return answer.status
    return client.opened(await client.wait(requestId))
  }

  test('an approval that waits when the limit comes gives nothing', async () => {
    const person = await join()
    const bundle_id = await idOf(HIDDEN)
    const given = new ApprovalClient(api)
    const choice = { bundle_id, include_keys: ['HIDDEN_URL'] }
    const ready = await given.asked()
    expect((await approveWith(api, person, { requestId: ready, ...choice })).status).toBe(200)
    const returning = new ReturningClient(api)
    const held = await returning.asked(returning.returning(['code']))
    const answer = await approveWith(api, person, { requestId: held, release: 'code', ...choice })
    const deposit = new DepositClient(api)
    const storing = await deposit.deposit(`hidden/${unique()}`, { LATE: 'v' }, { release: ['code'] })
    const plan = await approveDeposit(api, person, { requestId: storing, release: 'code' })
    expect((await limit(person.userId, ['partner/'])).status).toBe(200)
    expect((await given.wait(ready)).failure?.error ?? 'pending').toBe(NOT_FOUND)
    expect((await returning.release(held, secretOf(answer.json))).status).not.toBe(200)
    expect((await deposit.release(storing, secretOf(plan.json))).status).not.toBe(200)
    const late = await approveWith(api, person, { requestId: await given.asked(), ...choice })
    expectError(late, 404, NO_BUNDLE, 'not_found')
    await limit(person.userId, null)
    expect(await approve(person, HIDDEN, ['HIDDEN_URL'])).toEqual({ HIDDEN_URL: 'hidden' })
  })

  test('a limited member is no second person for a bundle out of reach, and is asked for none', async () => {
    const bundle = `hidden/${unique()}`
    await store(bundle, { TWO: 'v' })
    const bundle_id = await idOf(bundle)
    const people = [owner.userId, limited.userId].toSorted()
    const body = { approvals_needed: 2, approvers: 'named', people }
    await api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body })
    const request_id = await new ApprovalClient(api).asked({ bundle_id: bundle })
    const choice = { requestId: request_id, bundle_id, include_keys: ['TWO'] }
    const alone = await approveWith(api, owner, choice)
    expect([alone.status, alone.failure?.code]).toEqual([403, 'second_person'])
    expectError(await approveWith(api, limited, choice), 404, NO_BUNDLE, 'not_found')
    expect((await api.call('listWaiting', { as: limited })).json).toEqual([])
    const found = await api.call('listCandidates', { as: limited, params: { request_id } })
    expect(found.json).toEqual([])
  })

  test('owners set, see and end a limit; the log tells of it, and other members do not see it', async () => {
    const person = await join()
    const params = { user_id: person.userId }
    const read = async (as: Identity, userId = person.userId) =>
      (await api.call('listMembers', { as })).json.find(({ user_id }) => user_id === userId)?.limited_to
    expect([await read(owner), await read(limited, limited.userId)]).toEqual([null, ['partner/']])
    await limit(person.userId, ['*/shop', 'Partner/'])
    expect([await read(owner), await read(limited)]).toEqual([['*/shop', 'Partner/'], undefined])
    const seen = (await api.call('listBundles', { as: person })).json.map(({ name }) => name)
    expect(seen).toEqual(expect.arrayContaining([HIDDEN, SEEN]))
    const stale = { limited_to: ['other/'], expected: { limited_to: null } }
    const changed = await api.call('changeMemberLimit', { as: owner, params, body: stale })
    expect([changed.status, changed.failure?.code]).toEqual([409, 'changed'])
    const log = await api.call('listAudit', { as: owner, query: { action: 'member.limited' } })
    expect(log.json[0]).toMatchObject({
      data: { limited_to: ['*/shop', 'Partner/'] },
      target: { id: person.userId },
    })
    const own = await api.call('changeMemberLimit', {
      as: owner,
      params: { user_id: owner.userId },
      body: { limited_to: ['partner/'] },
    })
    expectError(own, 409, 'an owner sees everything: make them a member first', 'conflict')
    for (const role of ['owner', 'member'])
      await api.call('changeMemberRole', { as: owner, params, body: { role } })
    expect(await read(owner)).toEqual(['*/shop', 'Partner/'])
    await limit(person.userId, null)
    expect(await read(owner)).toBeNull()
  })

  test('an invitation of an owner or a moved membership carries no limit', async () => {
    const body = { email: `${randomUUID()}@example.com`, role: 'owner', limited_to: ['partner/'] }
    const answer = await api.call('createInvitation', { as: owner, body })
    expectError(answer, 400, 'limited_to is for new members: an owner sees everything', 'invalid')
    for (const limited_to of [[], ['*'], ['a//'], ['*/a/b'], ['/a']]) {
      const given = { ...body, role: 'member', limited_to }
      expect((await api.call('createInvitation', { as: owner, body: given })).failure?.code).toBe('invalid')
    }
  })

  const newGroup = async (body: { adds?: string[]; people?: string[] }) => {
    const answer = await api.call('createGroup', { as: owner, body: { name: `g ${unique()}`, ...body } })
    expect(answer.status).toBe(201)
    return { group_id: answer.json.id }
  }
  const changeGroup = (params: { group_id: string }, body: object, as = owner) =>
    api.call('changeGroup', { as, params, body })
  const namesSeen = async (as: Identity) =>
    (await api.call('listBundles', { as })).json.map(({ name }) => name)

  test('a group adds to a limit; who leaves it loses that at once, with what they approved', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ adds: ['hidden/'], people: [person.userId] })
    const groups = (await api.call('listGroups', { as: owner })).json
    expect(groups.find(({ id }) => id === params.group_id)).toMatchObject({
      adds: ['hidden/'],
      people: [person.userId],
      unconfirmed: [],
    })
    const losses: [object | null, object][] = [
      [{ people: [] }, { people: [person.userId] }],
      [{ adds: ['other/'] }, { adds: ['hidden/'] }],
      [null, {}],
    ]
    for (const [loss, gain] of losses) {
      expect(await namesSeen(person)).toEqual(expect.arrayContaining([HIDDEN, SEEN]))
      const client = new ApprovalClient(api)
      const requestId = await client.asked({ bundle_id: HIDDEN })
      const choice = { requestId, bundle_id: await idOf(HIDDEN), include_keys: ['HIDDEN_URL'] }
      expect((await approveWith(api, person, choice)).status).toBe(200)
      const deleted = () => api.call('deleteGroup', { as: owner, params })
      expect((await (loss === null ? deleted() : changeGroup(params, loss))).status).toBe(200)
      expect((await client.wait(requestId)).status).toBe(404)
      const seen = await namesSeen(person)
      expect([seen.includes(SEEN), seen.includes(HIDDEN)]).toEqual([true, false])
      expect((await api.call('listOwnAudit', { as: person })).text).not.toContain(HIDDEN)
      const members = (await api.call('listMembers', { as: owner })).json
      expect(members.find(({ user_id }) => user_id === person.userId)?.limited_to).toEqual(['partner/'])
      if (loss !== null) await changeGroup(params, gain)
    }
    expect((await changeGroup(params, { name: 'gone' })).status).toBe(404)
  })

  test('a limited member reaches by 100 patterns at most; who had more before keeps them', async () => {
    const person = await join()
    for (let group = 0; group < 60; group += 1) {
      const more = many(group).slice(1)
      await newGroup({ adds: [...more, group === 59 ? 'hidden/' : 'none/'], people: [person.userId] })
    }
    const limitTo = (limited_to: string[]) =>
      api.call('changeMemberLimit', { as: owner, params: { user_id: person.userId }, body: { limited_to } })
    expect((await limitTo(['partner/', 'else/'])).status).toBe(200)
    expect(await namesSeen(person)).toEqual(expect.arrayContaining([HIDDEN, SEEN]))
    expect((await api.call('listKeys', { as: person })).status).toBe(200)
    expect((await api.call('listOwnAudit', { as: person })).status).toBe(200)
    expect((await limitTo(['partner/'])).status).toBe(200)
    const most =
      'a limited member reaches at most 100 folders, applications and bundles, with what groups add'
    expect((await limitTo(['partner/', 'more/'])).failure?.error).toBe(most)
    const body = { name: unique(), adds: ['more/'], people: [person.userId] }
    expect((await api.call('createGroup', { as: owner, body })).failure?.error).toBe(most)
    const params = await newGroup({ people: [(await join(['partner/'])).userId] })
    expect((await changeGroup(params, { adds: many(0) })).status).toBe(200)
    const others = Array.from({ length: 4 }, (_, n) => many(n + 1))
    const [member] = (await api.call('listGroups', { as: owner })).json.filter(
      ({ id }) => id === params.group_id,
    )
    for (const some of others.slice(0, 3)) await newGroup({ adds: some, people: member?.people ?? [] })
    const last = { name: unique(), adds: others[3] ?? [], people: member?.people ?? [] }
    expect((await api.call('createGroup', { as: owner, body: last })).failure?.error).toBe(most)
  })

  test('a decision counts groups as they are in its own transaction', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ adds: ['hidden/'], people: [person.userId] })
    const choice = { bundle_id: await idOf(HIDDEN), include_keys: ['HIDDEN_URL'] }
    for (let round = 0; round < 4; round += 1) {
      const client = new ApprovalClient(api)
      const requestId = await client.asked({ bundle_id: HIDDEN })
      const [approved] = await Promise.all([
        approveWith(api, person, { requestId, ...choice }),
        changeGroup(params, { people: [] }),
      ])
      const waited = approved.status === 200 ? await client.wait(requestId) : approved
      expect([403, 404]).toContain(waited.status)
      await changeGroup(params, { people: [person.userId] })
    }
  })

  test('a rule that names a group names its members, and nobody once it is gone', async () => {
    const [inside, outside] = [await join(), await join()]
    const bundle = `named/${unique()}`
    const name = `N_${unique()}`.toUpperCase()
    await store(bundle, { [name]: 'value' })
    const params = await newGroup({ people: [inside.userId] })
    const rule = { approvers: 'named', people: [params.group_id] }
    const at = { as: owner, params: { bundle_id: await idOf(bundle) } }
    const { json } = await api.call('changeBundlePolicy', { ...at, body: rule })
    expect(json).toMatchObject({
      bundle: { people: [params.group_id] },
      effective: { people: [inside.userId] },
    })
    expect(json.bundle).not.toHaveProperty('named')
    expect(await approve(outside, bundle, [name])).toBe(403)
    expect(await approve(inside, bundle, [name])).toMatchObject({ [name]: 'value' })
    const both = { people: [params.group_id, outside.userId].toSorted() }
    await api.call('changeTenantPolicy', {
      as: owner,
      body: { folder: 'named/', approvers: 'named', ...both },
    })
    expect(await approve(outside, bundle, [name])).toBe(403)
    expect(await approve(inside, bundle, [name])).toMatchObject({ [name]: 'value' })
    await changeGroup(params, { people: [outside.userId] })
    expect(await approve(inside, bundle, [name])).toBe(403)
    expect(await approve(outside, bundle, [name])).toMatchObject({ [name]: 'value' })
    await api.call('deleteGroup', { as: owner, params })
    for (const as of [inside, outside, owner]) expect(await approve(as, bundle, [name])).toBe(403)
  })

  test('an invitation carries groups; those of another workspace are unknown everywhere', async () => {
    const params = await newGroup({ adds: ['hidden/'] })
    const groups = [params.group_id]
    const person = await join(['partner/'], groups)
    expect(await namesSeen(person)).toEqual(expect.arrayContaining([HIDDEN, SEEN]))
    const stranger = await api.newOwner()
    const body = { email: `${randomUUID()}@example.com`, role: 'member' }
    const invited = await api.call('createInvitation', { as: stranger, body: { ...body, groups } })
    expectError(invited, 404, 'group not found', 'not_found')
    const rule = { approvers: 'named', people: groups }
    expect((await api.call('changeTenantPolicy', { as: stranger, body: rule })).failure?.code).toBe('invalid')
    expect((await changeGroup(params, { people: [] }, stranger)).status).toBe(404)
    const foreign = await changeGroup(params, { people: [stranger.userId] })
    expectError(foreign, 400, 'people must be members of the workspace', 'invalid')
    const [group] = (await api.call('listGroups', { as: owner })).json.filter(({ id }) => groups.includes(id))
    const taken = { name: group?.name ?? '' }
    const named = await api.call('createGroup', { as: owner, body: taken })
    expectError(named, 409, 'a group has this name already', 'conflict')
    expect((await changeGroup(params, { people: [] })).status).toBe(200)
    expect(await namesSeen(person)).not.toContain(HIDDEN)
    const changed = await changeGroup(params, { adds: [], expected: { adds: ['old/'] } })
    expect([changed.status, changed.failure?.code]).toEqual([409, 'changed'])
    const log = await api.call('listAudit', { as: owner, query: { about: params.group_id } })
    expect(log.json.map(({ action }) => action)).toContain('group.changed')
  })

  test('an invitation brings nobody back whom an owner takes out of a group after it', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ adds: ['hidden/'], people: [person.userId] })
    const { json } = await api.call('listMembers', { as: owner })
    const email = json.find(({ user_id }) => user_id === person.userId)?.email ?? ''
    const takeOver = async (replaces: string, isTakenOut: boolean) => {
      const body = { email, role: 'member', replaces, groups: [params.group_id] }
      const invited = await api.call('createInvitation', { as: owner, body })
      if (isTakenOut) expect((await changeGroup(params, { people: [] })).status).toBe(200)
      const user = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
      const { user_id: userId, tenant_id: tenantId } = (await api.call('ensureUser', { body: user })).json
      const as = { userId, tenantId }
      expect((await api.call('acceptInvitation', { as, body: { token: invited.json.token } })).status).toBe(
        200,
      )
      return { userId, tenantId: owner.tenantId }
    }
    const out = await takeOver(person.userId, true)
    expect(await namesSeen(out)).not.toContain(HIDDEN)
    // Who invites the person into the group later lets them in again.
    expect(await namesSeen(await takeOver(out.userId, false))).toContain(HIDDEN)
  })

  test('an owner keeps as many people unconfirmed as the provider adds', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ people: [person.userId] })
    const unconfirmed = Array.from({ length: 2_000 }, () => randomUUID())
    expect((await changeGroup(params, { unconfirmed })).status).toBe(200)
  })

  test('a claim of the provider adds and takes; who it adds counts for rules once an owner confirms', async () => {
    const person = await join(['partner/'])
    const params = await newGroup({ adds: ['hidden/'] })
    const value = unique()
    provided[value] = params.group_id
    const signIn = async (idp: string, groups?: string[]) => {
      const body = { email: 'sam@example.com', ...(groups && { groups }) }
      const path = `/api/v1/users/${idp}`
      const headers = layerHeaders('PUT', path, body)
      const answer = await api.call('changeProvidedUser', { params: { idp_user_id: idp }, body, headers })
      expect(answer.status).toBe(200)
    }
    const group = async () =>
      (await api.call('listGroups', { as: owner })).json.find(({ id }) => id === params.group_id)
    const seesHidden = async () => (await namesSeen(person)).includes(HIDDEN)
    const rule = { folder: 'hidden/', approvers: 'named', people: [params.group_id] }
    await signIn(person.idpUserId, ['another', value])
    expect(await group()).toMatchObject({
      people: [],
      unconfirmed: [person.userId],
      unconfirmed_since: expect.stringMatching(/^20\d\d-/),
    })
    expect(await seesHidden()).toBe(true)
    await api.call('changeTenantPolicy', { as: owner, body: rule })
    expect(await approve(person, HIDDEN, ['HIDDEN_URL'])).toBe(403)
    const signed = { tenantId: owner.tenantId, at: { folder: 'signed/' } }
    await writeTouch(database, signed, 'passkey')
    expect(await seesHidden()).toBe(false)
    await writeTouch(database, signed, 'none')
    await changeGroup(params, { people: [person.userId] })
    expect(await group()).toMatchObject({ people: [person.userId], unconfirmed: [], unconfirmed_since: null })
    const client = new ApprovalClient(api)
    const requestId = await client.asked({ bundle_id: HIDDEN })
    const choice = { requestId, bundle_id: await idOf(HIDDEN), include_keys: ['HIDDEN_URL'] }
    expect((await approveWith(api, person, choice)).status).toBe(200)
    await signIn(person.idpUserId)
    await signIn((await join()).idpUserId, ['another'])
    expect(await seesHidden()).toBe(true)
    await signIn(person.idpUserId, ['another'])
    expect(await seesHidden()).toBe(false)
    expect((await client.wait(requestId)).status).toBe(404)
    for (const out of [{ unconfirmed: [] }, { people: [] }]) {
      const waiting = await join(['partner/'])
      const claimed = () => signIn(waiting.idpUserId, [value])
      await claimed()
      if ('people' in out) await changeGroup(params, { people: [waiting.userId] })
      expect(await namesSeen(waiting)).toContain(HIDDEN)
      await changeGroup(params, { ...out, expected: await group() })
      await claimed()
      await signIn(waiting.idpUserId, [])
      await claimed()
      expect(await group()).toMatchObject({ people: [], unconfirmed: [] })
      expect(await namesSeen(waiting)).not.toContain(HIDDEN)
    }
    const idp_user_id = `user_${randomUUID()}`
    await api.call('ensureUser', { body: { idp_user_id, email: `${randomUUID()}@example.com` } })
    await signIn(idp_user_id, [value])
    expect(await group()).toMatchObject({ people: [], unconfirmed: [] })
    const off = { folder: 'hidden/', approvers: null }
    expect((await api.call('changeTenantPolicy', { as: owner, body: off })).status).toBe(200)
  })

  test('what a member did before the limit is not in their activity', async () => {
    const person = await join()
    await store(`hidden/${unique()}`, { BEFORE: 'v' }, person)
    await limit(person.userId, ['partner/'])
    await store(`partner/${unique()}`, { AFTER: 'v' }, person)
    const { text } = await api.call('listOwnAudit', { as: person })
    expect([text.includes('partner/'), text.includes('hidden/')]).toEqual([true, false])
  })

  test('the activity of a limited member names no bundle that is or comes out of reach', async () => {
    const person = await join(['partner/'])
    const bundle = `hidden/${unique()}`
    await store(bundle, { TWO: 'v' })
    const bundle_id = await idOf(bundle)
    await api.call('changeBundlePolicy', {
      as: owner,
      params: { bundle_id },
      body: { approvals_needed: 2, approvers: 'member' },
    })
    const requestId = await new ApprovalClient(api).asked({ bundle_id: bundle })
    const choice = { requestId, bundle_id, include_keys: ['TWO'] }
    expect((await approveWith(api, owner, choice)).status).toBe(200)
    const denied = await api.call('denyRequest', { as: person, params: { request_id: requestId } })
    expect(denied.status).toBe(200)
    const moved = `partner/${unique()}`
    await store(moved, { MOVED: 'v' }, person)
    const params = { bundle_id: await idOf(moved) }
    const activity = async () => (await api.call('listOwnAudit', { as: person })).text
    expect(await activity()).toContain(moved)
    expect(await activity()).not.toContain(bundle)
    await api.call('updateBundle', { as: owner, params, body: { name: `hidden/${unique()}` } })
    await eventually(async () => expect(await activity()).not.toContain(moved))
    await limit(person.userId, ['partner/', 'more/'])
    await store(`partner/${unique()}`, { MORE: 'v' }, person)
    await limit(person.userId, ['partner/', 'more/', 'other/'])
    expect(await activity()).toContain('MORE')
    for (const role of ['owner', 'member'])
      await api.call('changeMemberRole', { as: owner, params: { user_id: person.userId }, body: { role } })
    expect(await activity()).not.toContain('MORE')
  })

  test('an invitation to take over a membership ends with it', async () => {
    const email = `${randomUUID()}@example.com`
    const ensured = async () => {
      const user = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
      const { json } = await api.call('ensureUser', { body: user })
      return { userId: json.user_id, tenantId: json.tenant_id }
    }
    const [before, after] = [await ensured(), await ensured()]
    const invite = async (more: object) =>
      (await api.call('createInvitation', { as: owner, body: { email, role: 'member', ...more } })).json.token
    await api.call('acceptInvitation', {
      as: before,
      body: { token: await invite({ limited_to: ['partner/'] }) },
    })
    const token = await invite({ replaces: before.userId })
    const leaving = { userId: before.userId, tenantId: owner.tenantId }
    await api.call('removeMember', { as: leaving, params: { user_id: before.userId } })
    for (const as of [after, before]) {
      const answer = await api.call('acceptInvitation', { as, body: { token } })
      expect(answer.status).toBe(404)
    }
  })

  test('a limited member replaces no composed value, and an import takes out no secret that is shared', async () => {
    const { name, inside } = await shared()
    const removing = { bundle: inside, entries: [], detach: [name] }
    const taken = await api.call('importVariables', { as: limited, body: removing })
    expectError(taken, 403, OWNERS, 'forbidden')
    const own = await store(`partner/${unique()}`, { [`OWN_${unique()}`.toUpperCase()]: 'a' }, limited)
    const [key_id, bundle_id] = [own.plan[0]?.key_id ?? '', own.bundle_id ?? '']
    await api.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { changers: 'member' } })
    const template = { value: 'x', is_template: true }
    expect((await api.call('updateKey', { as: owner, params: { key_id }, body: template })).status).toBe(200)
    const answer = await api.call('updateKey', { as: limited, params: { key_id }, body: { value: 'y' } })
    expectError(answer, 403, 'You see only some bundles: an owner composes values for you', 'forbidden')
  })

  test('a limited member takes out their own values and puts them back, and no secret that a bundle out of reach contains', async () => {
    const { inside, params } = await shared()
    const { plan } = await store(inside, { [`OWN_${unique()}`.toUpperCase()]: 'mine' }, limited)
    const own = { ...params, key_id: plan[0]?.key_id ?? '' }
    const other = await join(['partner/'])
    const found = async (as: Identity) => (await api.call('getKey', { as, params: own })).status
    expect((await api.call('detachKey', { as: limited, params: own })).status).toBe(200)
    expect([await found(limited), await found(other)]).toEqual([200, 404])
    expect((await api.call('attachKey', { as: limited, params: own })).status).toBe(201)
    expect(await found(other)).toBe(200)
    const second = await api.call('createBundle', { as: limited, body: { name: `partner/${unique()}` } })
    const there = { ...own, bundle_id: second.json.id }
    expect((await api.call('attachKey', { as: limited, params: there })).status).toBe(201)
    expect((await api.call('detachKey', { as: limited, params: own })).status).toBe(200)
    expectError(await api.call('detachKey', { as: limited, params }), 403, OWNERS, 'forbidden')
    const batch = { action: 'detach', bundle_id: own.bundle_id } as const
    for (const id of [await keyOf(HIDDEN, 'HIDDEN_URL'), randomUUID()]) {
      const answer = await api.call('changeKeys', { as: limited, body: { ...batch, key_ids: [id] } })
      expect([answer.status, answer.failure?.error]).toEqual([404, 'Key not found'])
    }
    await limit(limited.userId, ['partner/', 'more/'])
    await limit(limited.userId, ['partner/'])
    expect((await api.call('detachKey', { as: limited, params: there })).status).toBe(200)
    expect(await found(limited)).toBe(404)
  })

  test('a folder has its rules in any case, and no member renames a bundle into one that owners change', async () => {
    const member = await join()
    const folder = `f${unique()}/`
    await api.call('changeTenantPolicy', { as: owner, body: { folder, changers: 'owner' } })
    const made = await api.call('createBundle', { as: member, body: { name: `dev/${unique()}` } })
    const params = { bundle_id: made.json.id }
    const name = `${folder.toUpperCase()}${unique()}`
    expectError(
      await api.call('updateBundle', { as: member, params, body: { name } }),
      403,
      OWNERS,
      'forbidden',
    )
    expect((await api.call('updateBundle', { as: owner, params, body: { name } })).status).toBe(200)
    const rules = await api.call('getBundlePolicy', { as: owner, params })
    expect(rules.json.effective.changers).toBe('owner')
  })
})
