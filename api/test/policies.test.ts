import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findForeignRows } from '../src/main.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'

const NOTHING = {
  assurance: null,
  approvers: null,
  people: null,
  changers: null,
  approvals_needed: null,
  agents: null,
  remember_hours: null,
  tasks: null,
  touch: null,
}
const LOOSEST = {
  assurance: 'compat',
  approvers: 'member',
  people: null,
  changers: 'setter',
  approvals_needed: 1,
  agents: 'ask',
  remember_hours: 8,
  tasks: 'none',
  touch: 'none',
}

const byName = (...people: Identity[]) => ({
  approvers: 'named',
  people: people.map(({ userId }) => userId),
})

describe.each(oneDatabase)('rules of approvals on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
  })
  afterAll(() => api.close())

  const bundleNamed = async (name: string, tags = '') =>
    (await api.call('createBundle', { as: owner, body: { name: `${name}/${randomUUID()}`, tags } })).json.id
  const usernameOf = async (as: Identity) => (await api.call('getMe', { as })).json.username
  const policyOf = async (bundle_id: string, as = owner) =>
    (await api.call('getBundlePolicy', { as, params: { bundle_id } })).json
  const setBundle = (bundle_id: string, body: Record<string, unknown>, as = owner) =>
    api.call('changeBundlePolicy', { as, params: { bundle_id }, body })
  const setTenant = (body: Record<string, unknown>) => api.call('changeTenantPolicy', { as: owner, body })
  const approve = async (as: Identity, bundle_id: string, meta: Record<string, string> = {}) => {
    const requestId = await new ApprovalClient(api).asked({ meta })
    const params = { request_id: requestId, bundle_id }
    const offer = (await api.call('getRequestBundle', { as, params })).json
    const answer = await approveWith(api, as, { requestId, bundle_id, include_keys: [`URL_${keyed}`] })
    return { offer, answer }
  }
  const bundleOf = async (name: string, as = owner) =>
    (await api.call('createBundle', { as, body: { name } })).json
  const renamed = (bundle_id: string, name: string, as = owner) =>
    api.call('updateBundle', { as, params: { bundle_id }, body: { name } })
  const places = async () =>
    (await api.call('getTenantPolicy', { as: member, query: { places: '1' } })).json.places ?? []
  let keyed = 0
  const newKeyed = () => {
    keyed += 1
    return newBundle(api, owner, { [`URL_${keyed}`]: randomUUID() })
  }

  test('a bundle without rules has the loosest, and members can read them', async () => {
    const policy = {
      effective: LOOSEST,
      bundle: NOTHING,
      workspace: NOTHING,
      production: 'by_name',
      also: [],
    }
    expect(await policyOf(await bundleNamed('dev'), member)).toEqual({
      ...policy,
      is_production: false,
      stricter: [],
      server: { assurance: 'compat' },
    })
  })

  test('what is set is kept field by field, and null removes it', async () => {
    const id = await bundleNamed('dev')
    expect((await setBundle(id, { assurance: 'local', approvals_needed: 2 })).status).toBe(200)
    const changed = (await setBundle(id, { assurance: null, remember_hours: 2 })).json
    expect(changed.bundle).toEqual({ ...NOTHING, approvals_needed: 2, remember_hours: 2 })
    expect(changed.effective).toEqual({ ...LOOSEST, approvals_needed: 2, remember_hours: 2 })
  })

  test.each([
    { assurance: 'strict' },
    { approvers: 'nobody' },
    { approvals_needed: 3 },
    { agents: 'maybe' },
    { remember_hours: 13 },
    { remember_hours: 0.5 },
    { tasks: 'ask' },
  ])('%j is no rule', async (body) => {
    expect((await setBundle(await bundleNamed('dev'), body)).status).toBe(400)
  })

  test.each(['prod/api', 'shop/production', 'prod-eu', 'api_prod', 'PROD2'])(
    '%s is for production, so nothing is remembered unless the bundle itself says so',
    async (name) => {
      const id = await bundleNamed(name)
      expect(await policyOf(id)).toMatchObject({ is_production: true, effective: { remember_hours: 0 } })
      expect((await setBundle(id, { remember_hours: 4 })).json.effective.remember_hours).toBe(4)
    },
  )

  test('a tag makes a bundle one for production; a longer word does not', async () => {
    expect((await policyOf(await bundleNamed('api', 'eu,prod'))).is_production).toBe(true)
    expect((await policyOf(await bundleNamed('product', 'reproduction'))).is_production).toBe(false)
  })

  test('an owner says whether a bundle is for production; then its name counts for nothing', async () => {
    const [dev, prod] = [await bundleNamed('dev'), await bundleNamed('prod')]
    const { json } = await setBundle(dev, { production: 'yes' })
    expect(json).toMatchObject({ production: 'yes', is_production: true, effective: { remember_hours: 0 } })
    expect(json.bundle).toEqual(NOTHING)
    expect((await setBundle(prod, { production: 'no' })).json).toMatchObject({
      production: 'no',
      is_production: false,
      effective: { remember_hours: 8 },
    })
    const [event] = (await api.call('listAudit', { as: owner })).json
    expect(event).toMatchObject({ action: 'bundle.policy_changed', data: { rules: ['production: no'] } })
    const bundle = await api.call('getBundle', { as: member, params: { bundle_id: prod } })
    expect(bundle.json.production).toBe('no')
    expect((await setBundle(prod, { production: 'by_name' })).json.is_production).toBe(true)
    expect((await setBundle(prod, { production: 'maybe' })).status).toBe(400)
    expectError(await setBundle(dev, { production: 'no' }, member), 403, 'Forbidden: owner role required')
  })

  test.each([
    ['yes', 403],
    ['by_name', 200],
  ])(
    'production %s: a member detaches a secret that another bundle contains: %d',
    async (production, status) => {
      const body = { name: `prod/${randomUUID()}` }
      const { id } = (await api.call('createBundle', { as: member, body })).json
      const key = { name: `P${randomUUID().replaceAll('-', '')}`, value: 'v' }
      const key_id = (await api.call('createKey', { as: member, body: key })).json.id
      const place = { bundle_id: id, key_id }
      await api.call('attachKey', { as: member, params: place })
      const duplicate = () =>
        api.call('duplicateBundle', { as: member, params: place, body: { name: randomUUID() } })
      expect((await duplicate()).status).toBe(201)
      await setBundle(id, { production })
      expect((await duplicate()).status).toBe(status === 200 ? 201 : 403)
      const entries = { entries: [], detach: [key.name], bundle: body.name }
      expect(
        (await api.call('importVariables', { as: member, body: { ...entries, dry_run: true } })).status,
      ).toBe(status)
      expect((await api.call('detachKey', { as: member, params: place })).status).toBe(status)
    },
  )

  test('a duplicate of a bundle for production is no bundle for production', async () => {
    const id = await bundleNamed('live')
    await setBundle(id, { production: 'yes' })
    const duplicate = { params: { bundle_id: id }, body: { name: randomUUID() } }
    const copy = await api.call('duplicateBundle', { as: owner, ...duplicate })
    expect(copy.json.production).toBe('by_name')
  })

  test('the strictest of workspace and bundle counts', async () => {
    const id = await bundleNamed('dev')
    await setTenant({ assurance: 'bound', approvers: 'owner', agents: 'deny', remember_hours: 3 })
    const rules = { assurance: 'compat', approvers: 'member', agents: 'ask', remember_hours: 12 }
    expect((await setBundle(id, rules)).json.effective).toEqual({
      assurance: 'bound',
      approvers: 'owner',
      people: null,
      changers: 'setter',
      approvals_needed: 1,
      agents: 'deny',
      remember_hours: 3,
      tasks: 'none',
      touch: 'none',
    })
    const none = { assurance: null, approvers: null, agents: null, remember_hours: null }
    const { json } = await setTenant(none)
    expect(json).toMatchObject({ effective: LOOSEST, workspace: NOTHING, advice: ['use_bound'] })
  })

  test('a bundle that binds approvals needs no advice', async () => {
    expect((await setTenant({ assurance: 'bound' })).json.advice).toEqual([])
    await setTenant({ assurance: null })
  })

  test('only owners change rules, and another workspace has none of them', async () => {
    const id = await bundleNamed('dev')
    expectError(await setBundle(id, {}, member), 403, 'Forbidden: owner role required')
    const other = await api.newOwner()
    expectError(await setBundle(id, {}, other), 404, 'bundle not found')
    await api.call('createBundle', { as: other, body: { name: 'dev' } })
    await setTenant({ folder: 'of-one/', approvers: 'owner' })
    const { json } = await api.call('getTenantPolicy', { as: other, query: { places: '1' } })
    expect(json.places?.flatMap((place) => place.folder ?? [])).toEqual([])
  })

  test('each change is an event that tells the rules', async () => {
    const id = await bundleNamed('dev')
    await setBundle(id, { assurance: 'bound', approvers: null })
    await setTenant({ agents: null })
    const events = (await api.call('listAudit', { as: owner })).json
    const [ofTenant, ofBundle] = events
    expect(ofTenant).toMatchObject({
      action: 'tenant.policy_changed',
      data: { rules: ['agents: not set'] },
      target: { kind: 'tenant', id: owner.tenantId },
    })
    expect(ofBundle).toMatchObject({
      action: 'bundle.policy_changed',
      data: { rules: ['assurance: bound', 'approvers: not set'] },
      target: { kind: 'bundle', id },
    })
  })

  test('a duplicate has the rules of its original, and only an owner makes it', async () => {
    const { id } = await newKeyed()
    await setBundle(id, { approvers: 'owner', assurance: 'local' })
    const name = randomUUID()
    const duplicate = { params: { bundle_id: id }, body: { name } }
    const refused = await api.call('duplicateBundle', { as: member, ...duplicate })
    expectError(refused, 403, 'Forbidden: owner role required', 'forbidden')
    const copy = await api.call('duplicateBundle', { as: owner, ...duplicate })
    expect((await policyOf(copy.json.id)).effective).toMatchObject({ approvers: 'owner', assurance: 'local' })
  })

  describe('named people', () => {
    let named: Identity
    beforeAll(async () => {
      named = await joinWorkspace(api, owner, 'member')
    })
    test('they approve, and nobody else, not even an owner', async () => {
      const { id } = await newKeyed()
      expect((await setBundle(id, byName(named))).json.effective).toMatchObject(byName(named))
      const { offer, answer } = await approve(owner, id)
      expect(offer.why_not).toMatchObject({ code: 'named_approves', who: [await usernameOf(named)] })
      expectError(answer, 403, 'Only people that the rules name may approve this', 'named_approves')
      expect((await approve(named, id)).answer.json).toEqual({ ok: true })
    })

    test('lists of workspace and bundle count together; with nobody in common, nobody may', async () => {
      const { id } = await newKeyed()
      await setBundle(id, byName(named, member))
      await setTenant(byName(member, owner))
      expect((await policyOf(id)).effective.people).toEqual([member.userId])
      await setTenant(byName(owner))
      const { offer } = await approve(named, id)
      expect(offer.why_not?.error).toContain('no person is on the lists')
      await setTenant({ approvers: null })
      expect((await policyOf(id)).workspace).toMatchObject({ approvers: null, people: null })
      expect((await approve(named, id)).answer.json).toEqual({ ok: true })
    })

    test('with owners only elsewhere, a named member is not enough', async () => {
      const { id } = await newKeyed()
      await setBundle(id, byName(named))
      await setTenant({ approvers: 'owner' })
      expect((await approve(named, id)).offer.why_not?.code).toBe('owner_approves')
      await setTenant({ approvers: null })
    })

    test('a person who left is nobody', async () => {
      const { id } = await newKeyed()
      const leaver = await joinWorkspace(api, owner, 'member')
      await setBundle(id, byName(leaver))
      await api.call('removeMember', { as: owner, params: { user_id: leaver.userId } })
      const { answer, offer } = await approve(owner, id)
      expect([answer.status, offer.why_not?.who]).toEqual([403, []])
    })

    test.each([
      ['nobody', { approvers: 'named' }, 'people must name who may approve'],
      ['an empty list', { approvers: 'named', people: [] }, 'people must be the ids of 1 to 50 members'],
      [
        'a stranger',
        { approvers: 'named', people: [randomUUID()] },
        'people must be active members or groups of the workspace',
      ],
      ['names without the choice', { people: [randomUUID()] }, 'people come with the approvers "named"'],
    ])('%s is refused', async (_, body, error) => {
      const { id } = await newKeyed()
      expect((await setBundle(id, body)).failure).toMatchObject({ code: 'invalid', error })
      expect((await policyOf(id)).bundle).toEqual(NOTHING)
    })
  })

  test('a plain client cannot get a bundle that requires approvals to return', async () => {
    const { id } = await newKeyed()
    for (const assurance of ['bound', 'local']) {
      await setBundle(id, { assurance })
      const { offer, answer } = await approve(owner, id)
      expect(offer).toMatchObject({ assurance, may_approve: false, release: [], release_required: true })
      expect(offer.why_not?.code).toBe('release_required')
      expectError(answer, 403, offer.why_not?.error ?? '', 'release_required')
    }
    await setBundle(id, { assurance: null })
    const { offer, answer } = await approve(owner, id)
    expect(offer).toMatchObject({ assurance: 'compat', may_approve: true, why_not: null })
    expect(answer.json).toEqual({ ok: true })
  })

  test('where only owners approve, a member learns that before the click and after it', async () => {
    const { id } = await newKeyed()
    await setBundle(id, { approvers: 'owner' })
    const { offer, answer } = await approve(member, id)
    const sentence = 'Only an owner may approve requests for this bundle'
    expect(offer).toMatchObject({ may_approve: false, why_not: { code: 'owner_approves', error: sentence } })
    expect(offer.why_not?.who).toEqual([await usernameOf(owner)])
    expectError(answer, 403, sentence, 'owner_approves')
    expect((await approve(owner, id)).answer.status).toBe(200)
  })

  test('where agents are denied, only a request that names one is', async () => {
    const { id } = await newKeyed()
    await setBundle(id, { agents: 'deny' })
    const { offer, answer } = await approve(owner, id, { agent: 'claude-code', reason: 'tests' })
    expect(offer.why_not).toEqual({ code: 'agents_denied', error: expect.any(String) })
    expectError(answer, 403, 'This bundle is not delivered to AI agents', 'agents_denied')
    expect((await approve(owner, id)).answer.status).toBe(200)
  })

  describe('of a folder', () => {
    let folder = ''
    let folders = 0
    beforeEach(() => {
      folders += 1
      folder = `live${folders}/`
    })
    const setFolder = (body: Record<string, unknown>, as = owner, at = folder) =>
      api.call('changeTenantPolicy', { as, body: { ...body, folder: at } })
    test('they count for each bundle in it, also for one that is made later', async () => {
      const before = await bundleOf(`${folder}web`)
      const [beside, self] = [await bundleOf(`live${folders}-eu/web`), await bundleOf(folder.slice(0, -1))]
      expect((await setFolder({ assurance: 'bound', approvers: 'owner', remember_hours: 1 })).status).toBe(
        200,
      )
      const after = await bundleOf(`${folder}eu/api`, member)
      for (const { id } of [before, after]) {
        const { effective, bundle } = await policyOf(id)
        expect(effective).toEqual({ ...LOOSEST, assurance: 'bound', approvers: 'owner', remember_hours: 1 })
        expect(bundle).toEqual(NOTHING)
      }
      for (const { id } of [beside, self]) expect((await policyOf(id)).effective).toEqual(LOOSEST)
    })

    test('the strictest of all places counts, in every field', async () => {
      const { id } = await bundleOf(`${folder}eu/web`)
      await setFolder({ assurance: 'local', remember_hours: 4, changers: 'owner' })
      await setFolder({ assurance: 'bound', approvals_needed: 2, remember_hours: 6 }, owner, `${folder}eu/`)
      const loose = { assurance: 'compat', approvals_needed: 1, agents: 'deny', changers: 'member' }
      expect((await setBundle(id, { ...loose, remember_hours: 12 })).json.effective).toEqual({
        ...LOOSEST,
        assurance: 'local',
        approvals_needed: 2,
        agents: 'deny',
        changers: 'owner',
        remember_hours: 4,
      })
    })

    test('a workspace has 200 of them with rules; those that set nothing any more make room', async () => {
      const other = await api.newOwner()
      const set = (at: string, body: object) => setFolder({ ...body }, other, at)
      for (let index = 0; index < 200; index += 1)
        expect((await set(`f${index}/`, { approvers: 'owner' })).status).toBe(200)
      const refused = await set('more/', { approvers: 'owner' })
      expect([refused.status, refused.failure?.error]).toEqual([
        409,
        'a workspace has rules for at most 200 folders: end some first',
      ])
      expect((await set('f7/', { approvals_needed: 2 })).status).toBe(200)
      expect((await set('f8/', { approvers: null })).status).toBe(200)
      expect((await set('more/', { approvers: 'owner' })).status).toBe(200)
      const { json } = await api.call('getTenantPolicy', { as: other, query: { places: '1' } })
      const named = json.places?.flatMap((place) => place.folder ?? []) ?? []
      expect([named.length, named.includes('more/'), named.includes('f8/')]).toEqual([200, true, false])
      expect(await findForeignRows(api.settings)).toEqual([])
    })

    test('for production, a folder can allow that approvals are remembered', async () => {
      const { id } = await bundleOf(`prod/${folder}web`)
      expect((await policyOf(id)).effective.remember_hours).toBe(0)
      await setFolder({ remember_hours: 2 }, owner, `prod/${folder}`)
      expect((await policyOf(id)).effective.remember_hours).toBe(2)
    })

    test('tasks are allowed where a place says so, and in production only where it says so itself', async () => {
      const [dev, prod] = [await bundleOf(`${folder}web`), await bundleOf(`prod/${folder}web`)]
      const tasks = async () =>
        Promise.all([dev, prod].map(async ({ id }) => (await policyOf(id, member)).effective.tasks))
      await setTenant({ tasks: 'allow' })
      expect(await tasks()).toEqual(['allow', 'none'])
      expect((await setBundle(prod.id, { tasks: 'allow' })).json).toMatchObject({
        bundle: { ...NOTHING, tasks: 'allow' },
        effective: { tasks: 'none' },
      })
      await setFolder({ remember_hours: 2 }, owner, `prod/${folder}`)
      expect(await tasks()).toEqual(['allow', 'allow'])
      await setFolder({ tasks: 'none' })
      await setBundle(dev.id, { tasks: 'allow' })
      expect(await tasks()).toEqual(['none', 'allow'])
      const [event] = (await api.call('listAudit', { as: owner })).json
      expect(event).toMatchObject({ action: 'bundle.policy_changed', data: { rules: ['tasks: allow'] } })
      await setTenant({ tasks: null })
      expect(await tasks()).toEqual(['none', 'allow'])
    })

    test('a bundle that leaves keeps what its folder asked beyond the workspace', async () => {
      await setTenant({ agents: 'remember', tasks: 'allow' })
      const { id } = await bundleOf(`${folder}web`, member)
      await setFolder({ agents: 'ask', tasks: 'none', remember_hours: 8 })
      expect((await renamed(id, `next-${folder}web`, member)).status).toBe(200)
      expect(await policyOf(id)).toMatchObject({
        bundle: { ...NOTHING, agents: 'ask', tasks: 'none' },
        effective: { agents: 'ask', tasks: 'none' },
      })
      await setTenant({ agents: null, tasks: null })
    })

    test('who may change values is one of them, and members cannot duplicate a bundle out of it', async () => {
      const bundle = await bundleOf(`${folder}web`, member)
      await setFolder({ changers: 'owner' })
      const params = { bundle_id: bundle.id }
      expect((await renamed(bundle.id, `dev/${randomUUID()}`, member)).status).toBe(403)
      const copy = { as: member, params, body: { name: `dev/${randomUUID()}` } }
      expect((await api.call('duplicateBundle', copy)).status).toBe(403)
      expect((await api.call('getBundle', { as: member, params })).json.may_edit).toBe(false)
    })

    test('they follow a secret value into a bundle outside', async () => {
      const { id: inside } = await bundleOf(`${folder}web`)
      const { id: outside } = await newKeyed()
      const name = `URL_${keyed}`
      const [key] = (await api.call('listKeys', { as: owner, query: { query: name } })).json
      const params = { bundle_id: inside, key_id: key?.id ?? '' }
      expect((await api.call('attachKey', { as: owner, params })).status).toBe(201)
      await setFolder({ approvers: 'owner' })
      const { answer } = await approve(member, outside)
      expect(answer.failure).toMatchObject({ code: 'owner_approves', details: { names: [name] } })
      expect((await policyOf(outside)).stricter).toEqual([name])
    })

    test('a bundle that leaves takes them along; an owner loosens them there', async () => {
      const { id } = await bundleOf(`${folder}web`, member)
      await setFolder({ assurance: 'local', approvers: 'owner', agents: 'deny' })
      await setFolder({ approvers: 'owner' }, owner, `next-${folder}`)
      expect((await renamed(id, `next-${folder}web`, member)).status).toBe(200)
      const { bundle, effective } = await policyOf(id)
      expect(bundle).toEqual({ ...NOTHING, assurance: 'local', agents: 'deny' })
      expect(effective).toEqual({ ...LOOSEST, assurance: 'local', approvers: 'owner', agents: 'deny' })
      const events = (await api.call('listAudit', { as: owner, query: { target: id } })).json
      expect(events).toContainEqual(
        expect.objectContaining({
          action: 'bundle.policy_changed',
          data: { rules: ['assurance: local', 'agents: deny'] },
        }),
      )
      await setBundle(id, { assurance: null, agents: null })
      expect((await policyOf(id)).effective).toEqual({ ...LOOSEST, approvers: 'owner' })
    })

    test('a rename within it, or into it, sets nothing on the bundle', async () => {
      const { id } = await bundleOf(`other-${folder}web`)
      await setFolder({ approvals_needed: 2 })
      for (const name of [`${folder}web`, `${folder}eu/web`]) {
        expect((await renamed(id, name)).status).toBe(200)
        expect(await policyOf(id)).toMatchObject({ bundle: NOTHING, effective: { approvals_needed: 2 } })
      }
    })

    test('a duplicate outside takes them along', async () => {
      const { id } = await bundleOf(`${folder}web`)
      await setFolder({ approvals_needed: 2 })
      const body = { name: `dev/${randomUUID()}` }
      const copy = await api.call('duplicateBundle', { as: owner, params: { bundle_id: id }, body })
      expect((await policyOf(copy.json.id)).bundle).toEqual({ ...NOTHING, approvals_needed: 2 })
    })

    test('a group stays one on a list that is taken along, also on the narrower of two', async () => {
      const group = { name: randomUUID(), people: [member.userId] }
      const people = [(await api.call('createGroup', { as: owner, body: group })).json.id]
      const { id } = await bundleOf(`${folder}web`)
      await setFolder({ approvers: 'named', people })
      const duplicate = { params: { bundle_id: id }, body: { name: `dev/${randomUUID()}` } }
      const copy = await api.call('duplicateBundle', { as: owner, ...duplicate })
      expect((await policyOf(copy.json.id)).bundle).toEqual({ ...NOTHING, approvers: 'named', people })
      await setBundle(id, byName(owner, member))
      expect((await renamed(id, `dev/${randomUUID()}`)).status).toBe(200)
      expect((await policyOf(id)).bundle).toEqual({ ...NOTHING, approvers: 'named', people })
      await api.call('deleteGroup', { as: owner, params: { group_id: people[0] ?? '' } })
      expect((await policyOf(id)).effective.people).toEqual(people)
    })

    test('every environment is a place, and so is every bundle with rules', async () => {
      const { id, name } = await bundleOf(`${folder}web`)
      await setFolder({ assurance: 'bound' })
      await setBundle(id, { approvals_needed: 2 })
      await bundleOf(`prod/${folder}web`)
      const [workspace, ...others] = await places()
      expect(workspace).toMatchObject({ folder: null, bundle: null, set: NOTHING, effective: LOOSEST })
      const at = (of: string | null, bundle: object | null) =>
        others.find((place) => place.folder === of && (place.bundle?.id ?? null) === (bundle && id))
      const effective = { ...LOOSEST, assurance: 'bound' }
      const found = { above: LOOSEST, effective, is_production: false }
      expect(at(folder, null)).toMatchObject({ set: { ...NOTHING, assurance: 'bound' }, ...found })
      expect(at(`prod/${folder}`, null)).toMatchObject({ set: NOTHING, is_production: true })
      expect(at(null, { id })).toMatchObject({
        bundle: { id, name },
        set: { ...NOTHING, approvals_needed: 2 },
        limit: { ...NOTHING, assurance: 'bound' },
        above: effective,
        effective: { ...effective, approvals_needed: 2 },
      })
    })

    test('only owners set them, of a folder of names, and the log says of which', async () => {
      expect((await setFolder({ assurance: 'bound' }, member)).status).toBe(403)
      for (const bad of ['prod', '/prod/', 'prod//', 'prod/%/', ''])
        expect((await setFolder({ assurance: 'bound' }, owner, bad)).status).toBe(400)
      await setFolder({ assurance: 'bound' })
      const [event] = (await api.call('listAudit', { as: owner })).json
      expect(event).toMatchObject({
        action: 'tenant.policy_changed',
        data: { folder, rules: ['assurance: bound'] },
      })
      expect((await api.call('getTenantPolicy', { as: owner })).json).not.toHaveProperty('places')
    })
  })

  test('rules go with their bundle', async () => {
    const id = await bundleNamed('dev')
    await setBundle(id, { assurance: 'local' })
    expect((await api.call('deleteBundle', { as: owner, params: { bundle_id: id } })).status).toBe(200)
    expectError(
      await api.call('getBundlePolicy', { as: owner, params: { bundle_id: id } }),
      404,
      'bundle not found',
    )
  })
})

test('the server can demand more than any bundle', async () => {
  const api = await startTestApi('sqlite', { approvalAssurance: 'bound' })
  try {
    const owner = await api.newOwner()
    const { id } = await newBundle(api, owner, { URL: 'x' })
    const body = { assurance: 'compat' }
    const policy = await api.call('changeBundlePolicy', { as: owner, params: { bundle_id: id }, body })
    expect(policy.json).toMatchObject({ effective: { assurance: 'bound' }, server: { assurance: 'bound' } })
    expect((await api.call('getTenantPolicy', { as: owner })).json.advice).toEqual([])
    const created = (await new ApprovalClient(api).ask()).json
    expect(created.assurance).toBe('bound')
  } finally {
    await api.close()
  }
})
