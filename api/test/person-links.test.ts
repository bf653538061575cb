import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { linkPeople, listLinksOf, undoLinkOf } from '../src/main.ts'
import { expectError, type Identity, layerHeaders, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { signedCall, TouchKey } from './touch-client.ts'

type OperatorSettings = Parameters<typeof undoLinkOf>[0]
type Person = Identity & { idpUserId: string; email: string }

describe.each(oneDatabase)('one person with several ways to sign in, on %s', (kind) => {
  let api: TestApi
  let now = new Date()
  const provided: Record<string, string> = {}
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => now, providedGroups: provided })
  })
  afterAll(() => api.close())

  const ensured = async (idpUserId: string, email: string) => {
    const body = { idp_user_id: idpUserId, email, email_verified: true }
    const { json } = await api.call('ensureUser', { body })
    return { userId: json.user_id, tenantId: json.tenant_id, idpUserId, email }
  }
  const newPerson = (email = `${randomUUID()}@example.com`) => ensured(`user_${randomUUID()}`, email)
  const signIn = ({ idpUserId, email }: Person) => ensured(idpUserId, email)
  // The operator's commands take the time of the process.
  const operated = async <T>(work: (settings: OperatorSettings) => Promise<T>) => {
    vi.useFakeTimers({ toFake: ['Date'], now })
    try {
      return await work({ ...api.settings, redisUrl: null })
    } finally {
      vi.useRealTimers()
    }
  }
  const linked = async (fresh: Person, old: Person) => {
    const pair = { old: old.userId, fresh: { idpUserId: fresh.idpUserId } }
    const [report] = await operated((settings) => linkPeople(settings, [pair], true))
    return report
  }
  const link = async (fresh: Person, old: Person) => {
    const report = await linked(fresh, old)
    expect(report?.refusal).toBeNull()
    return report?.id ?? ''
  }
  const undo = (id: string) => operated((settings) => undoLinkOf(settings, id))
  const ended = async ({ idpUserId }: Person) => {
    const path = `/api/v1/users/${idpUserId}/signed-out` as const
    const body = { reason: 'all_sessions' } as const
    const headers = layerHeaders('POST', path, body, now)
    return (await api.call('recordSignOut', { params: { idp_user_id: idpUserId }, body, headers })).json.ended
  }
  const namesIn = async (as: Identity) =>
    (await api.call('listMembers', { as })).json.map(({ user_id, role }) => [user_id, role])
  const actionsIn = async (as: Identity) =>
    (await api.call('listAudit', { as })).json.map(({ action, actor }) => `${action} ${actor.kind}`)
  const joined = async (owner: Identity, person: Person, role: string) => {
    const body = { email: person.email, role }
    const { json } = await api.call('createInvitation', { as: owner, body })
    expect((await api.call('acceptInvitation', { as: person, body: { token: json.token } })).status).toBe(200)
    return { userId: person.userId, tenantId: owner.tenantId }
  }

  const claim = async ({ idpUserId, email }: Person, groups: string[]) => {
    const body = { email, groups }
    const headers = layerHeaders('PUT', `/api/v1/users/${idpUserId}`, body, now)
    await api.call('changeProvidedUser', { params: { idp_user_id: idpUserId }, body, headers })
  }

  test('equal verified addresses link nothing', async () => {
    const old = await newPerson()
    const fresh = await newPerson(old.email)
    expect((await signIn(fresh)).userId).not.toBe(old.userId)
  })

  test('a linked way signs in the old person; the memberships move, an unused workspace stays', async () => {
    const old = await newPerson()
    const bundle = await newBundle(api, old, { URL: 'secret' })
    const fresh = await newPerson(old.email)
    const team = await newPerson()
    const inTeam = await joined(team, fresh, 'member')
    const teamBundle = await newBundle(api, team, { URL: 'secret' })
    const asking = new ApprovalClient(api)
    const requestId = await asking.asked()
    const choice = { requestId, bundle_id: teamBundle.id, include_keys: ['URL'] }
    expect((await approveWith(api, inTeam, choice)).status).toBe(200)

    const report = await linked(fresh, old)
    expect(report?.ended).toEqual(expect.arrayContaining([old.idpUserId, fresh.idpUserId]))
    expect(await signIn(fresh)).toMatchObject({ userId: old.userId, tenantId: old.tenantId })
    const found = await api.call('getBundle', { as: old, params: { bundle_id: bundle.id } })
    expect(found.status).toBe(200)
    expect(await namesIn(team)).toEqual(
      expect.arrayContaining([
        [team.userId, 'owner'],
        [old.userId, 'member'],
      ]),
    )
    expect((await asking.wait(requestId)).status).toBe(404)
    expect((await api.call('listTenants', { as: old })).json).toHaveLength(2)
    expect(await actionsIn(old)).toContain('user.linked operator')
    const inTeamNow = await actionsIn(team)
    expect(inTeamNow).toEqual(expect.arrayContaining(['member.moved operator', 'user.linked operator']))
  })

  test.each<[string, (as: Identity) => Promise<{ status: number }>]>([
    ['a bundle', (as) => api.call('createBundle', { as, body: { name: 'dev/app' } })],
    ['a key', (as) => api.call('createKey', { as, body: { name: 'URL', value: 'v' } })],
    ['a machine', (as) => api.call('createMachine', { as, body: { name: 'ci' } })],
    [
      'an invitation',
      (as) =>
        api.call('createInvitation', {
          as,
          body: { email: `${randomUUID()}@example.com`, role: 'member' },
        }),
    ],
  ])('an own workspace with nothing but %s moves too', async (_, make) => {
    const [old, fresh] = [await newPerson(), await newPerson()]
    expect((await make(fresh)).status).toBe(201)
    await link(fresh, old)
    expect(await namesIn({ ...old, tenantId: fresh.tenantId })).toEqual([[old.userId, 'owner']])
  })

  test('a link can be undone for 30 days, and gives back what moved', async () => {
    const old = await newPerson()
    const fresh = await newPerson()
    const team = await newPerson()
    await joined(team, fresh, 'owner')
    await joined(team, old, 'member')
    const id = await link(fresh, old)
    expect(await namesIn({ ...old, tenantId: team.tenantId })).toContainEqual([old.userId, 'owner'])
    now = new Date(now.getTime() + 29 * 86_400_000)
    expect(await undo(id)).not.toBeNull()
    expect(await undo(id)).toBeNull()
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
    expect(await namesIn({ ...old, tenantId: team.tenantId })).toEqual(
      expect.arrayContaining([
        [old.userId, 'member'],
        [fresh.userId, 'owner'],
      ]),
    )
    expect(await actionsIn(old)).toContain('user.unlinked operator')
    const again = await link(fresh, old)
    now = new Date(now.getTime() + 31 * 86_400_000)
    expect((await undo(again))?.ended).toContain(fresh.idpUserId)
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
    expect(await namesIn({ ...old, tenantId: team.tenantId })).toContainEqual([old.userId, 'owner'])
  })

  test('of two links to a person, one is undone', async () => {
    const [old, one, other] = [await newPerson(), await newPerson(), await newPerson()]
    const id = await link(one, old)
    const kept = await link(other, old)
    expect(await undo(id)).not.toBeNull()
    expect((await signIn(one)).userId).toBe(one.userId)
    expect((await signIn(other)).userId).toBe(old.userId)
    expect((await undo(kept))?.ended).toContain(other.idpUserId)
  })

  test('an address moves with its password, and proves nothing of the person who had it in between', async () => {
    const [old, team, other] = [await newPerson(), await newPerson(), await newPerson()]
    const email = `${randomUUID()}@example.com`
    const invite = async (as: Identity) =>
      (await api.call('createInvitation', { as, body: { email, role: 'member' } })).json.token
    const account = { token: await invite(team), password: 'correct horse battery' }
    const { user_id } = (await api.call('joinWithAccount', { body: account })).json
    const id = await link({ ...old, userId: user_id, idpUserId: `user_${user_id}` }, old)
    const stated = async (as: Identity) => (await api.call('getMe', { as })).json
    expect(await stated(old)).toMatchObject({ email })
    expect(await undo(id)).not.toBeNull()
    expect(await stated(old)).toMatchObject({ email_verified: false })
    expect((await api.call('logIn', { body: { email, password: account.password } })).json).toMatchObject({
      user_id,
    })
    const body = { token: await invite(other) }
    expect((await api.call('acceptInvitation', { as: old, body })).status).toBe(403)
    await claim(old, [])
    expect(await stated(old)).toMatchObject({ email: old.email })
  })

  test('a limit and groups come back with what an undoing gives back', async () => {
    const [old, fresh, team] = [await newPerson(), await newPerson(), await newPerson()]
    const as = { userId: team.userId, tenantId: team.tenantId }
    await joined(team, fresh, 'member')
    await joined(team, old, 'member')
    const limit = (userId: string, limited_to: string[]) =>
      api.call('changeMemberLimit', { as, params: { user_id: userId }, body: { limited_to } })
    const limitOf = async (userId: string) =>
      (await api.call('listMembers', { as })).json.find(({ user_id }) => user_id === userId)?.limited_to
    expect((await limit(fresh.userId, ['partner/'])).status).toBe(200)
    const people = async () => (await api.call('listGroups', { as })).json.map((group) => group.people)
    await api.call('createGroup', { as, body: { name: 'Partners', people: [fresh.userId] } })
    for (const narrower of [null, ['own/']]) {
      const id = await link(fresh, old)
      expect(await people()).toEqual([[old.userId]])
      now = new Date(now.getTime() + 1_000)
      if (narrower !== null) await limit(old.userId, narrower)
      expect(await undo(id)).not.toBeNull()
      expect(await limitOf(fresh.userId)).toEqual(narrower ?? ['partner/'])
      expect(await people()).toEqual([[fresh.userId]])
    }
  })

  test.each(['unconfirmed', 'taken out'])(
    'a group comes back to a person who was %s as it was',
    async (was) => {
      const [old, fresh, team] = [await newPerson(), await newPerson(), await newPerson()]
      const as = { userId: team.userId, tenantId: team.tenantId }
      await joined(team, fresh, 'member')
      const group_id = (await api.call('createGroup', { as, body: { name: `Partners ${was}` } })).json.id
      const value = randomUUID()
      provided[value] = group_id
      const claimed = () => claim(fresh, [value])
      const change = (body: object) => api.call('changeGroup', { as, params: { group_id }, body })
      const group = async () =>
        (await api.call('listGroups', { as })).json.find(({ id }: { id: string }) => id === group_id)
      await claimed()
      expect(await group()).toMatchObject({ people: [], unconfirmed: [fresh.userId] })
      if (was === 'taken out') await change({ unconfirmed: [] })
      const before = await group()
      const id = await link(fresh, old)
      await change({ people: [old.userId] })
      expect(await group()).toMatchObject({ people: [old.userId], unconfirmed: [] })
      expect(await undo(id)).not.toBeNull()
      await claimed()
      expect(await group()).toEqual(before)
    },
  )

  test.each([
    { mark: 'of the way that is linked in', people: ['old', 'fresh'], out: 'fresh' },
    { mark: 'of the other way', people: ['old', 'fresh'], out: 'old' },
    { mark: 'from after the link', people: ['fresh'], out: 'both' },
    {
      mark: 'of a way whose person was let in again later',
      people: ['old', 'fresh'],
      out: 'fresh',
      in: 'old',
    },
  ])('whom an owner took out of a group stays out with the mark $mark', async (plan) => {
    const [old, fresh, team] = [await newPerson(), await newPerson(), await newPerson()]
    const as = { userId: team.userId, tenantId: team.tenantId }
    for (const person of [old, fresh]) await joined(team, person, 'member')
    const ids = new Map(Object.entries({ old: old.userId, fresh: fresh.userId }))
    const idsOf = (names: string[]) => names.flatMap((name) => ids.get(name) ?? [])
    const body = { name: `Partners ${plan.mark}`, people: idsOf(plan.people) }
    const params = { group_id: (await api.call('createGroup', { as, body })).json.id }
    const value = randomUUID()
    provided[value] = params.group_id
    const keep = async (names: string[]) => {
      const { status } = await api.call('changeGroup', { as, params, body: { people: idsOf(names) } })
      expect(status).toBe(200)
    }
    const others = plan.people.filter((name) => name !== plan.out)
    if (plan.out !== 'both') await keep(others)
    const linkId = await link(fresh, old)
    if (plan.out === 'both') await keep([])
    const isOut = async (person: Person) => {
      await claim(person, [value])
      const group = (await api.call('listGroups', { as })).json.find(({ id }) => id === params.group_id)
      return ![...(group?.people ?? []), ...(group?.unconfirmed ?? [])].includes(person.userId)
    }
    expect([await isOut(old), await isOut(fresh)]).toEqual([true, true])
    if (plan.in) {
      await keep([plan.in])
      await claim(old, [])
    }
    expect(await undo(linkId)).not.toBeNull()
    expect([await isOut(fresh), await isOut(old)]).toEqual([true, plan.in === undefined])
  })

  test('an end of all sessions names every way to sign in as the person', async () => {
    const [old, fresh] = [await newPerson(), await newPerson()]
    expect(await ended(old)).toEqual(expect.not.arrayContaining([fresh.idpUserId]))
    await link(fresh, old)
    const both = expect.arrayContaining([old.idpUserId, fresh.idpUserId, `user_${old.userId}`])
    expect(await ended(old)).toEqual(both)
    expect(await ended(fresh)).toEqual(both)
  })

  test('a person with links of their own is not linked to another', async () => {
    const [old, fresh, third] = [await newPerson(), await newPerson(), await newPerson()]
    await link(third, fresh)
    const refused = await linked(fresh, old)
    expect(refused?.refusal).toBe('other ways to sign in are linked to this person: undo those links first')
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
  })

  test('where a workspace asks for signatures, the link of the operator counts at once', async () => {
    const [old, second, fresh] = [await newPerson(), await newPerson(), await newPerson()]
    const colleague = await joined(old, second, 'owner')
    const key = new TouchKey()
    await key.enrol(api, old)
    await new TouchKey().enrol(api, colleague)
    const rules = await signedCall(api, key, 'changeTenantPolicy', { as: old, body: { touch: 'passkey' } })
    expect(rules.status).toBe(200)
    await link(fresh, old)
    expect((await signIn(fresh)).userId).toBe(old.userId)
    expect((await api.call('listApprovalKeys', { as: old })).json.keys).toHaveLength(2)
  })

  test('an owner moves only the membership of their workspace, by an invitation', async () => {
    const owner = await newPerson()
    const old = await newPerson()
    await joined(owner, old, 'owner')
    const fresh = await newPerson(old.email)
    const invite = (body: object) => api.call('createInvitation', { as: owner, body })
    const refused = await invite({ email: old.email, role: 'member' })
    expectError(refused, 409, 'already a member', 'conflict')
    const replaces = refused.failure?.details?.['id']
    const { json } = await invite({ email: old.email, role: 'member', replaces })
    const accept = { as: fresh, body: { token: json.token } }
    expect((await api.call('acceptInvitation', accept)).json.role).toBe('owner')
    const members = await namesIn(owner)
    expect(members).toContainEqual([fresh.userId, 'owner'])
    expect(members.flat()).not.toContain(old.userId)
    expect((await signIn(old)).userId).toBe(old.userId)
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
    expect(await actionsIn(owner)).toContain('member.moved user')
  })

  test('the operator links several at once or none, and a dry run changes nothing', async () => {
    const [sam, kim] = [await newPerson(), await newPerson()]
    const fresh = await newPerson(sam.email)
    const future = `user_${randomUUID()}`
    const pairs = [
      { old: sam.email, fresh: { idpUserId: fresh.idpUserId } },
      { old: kim.userId, fresh: { idpUserId: future } },
    ]
    const settings = { ...api.settings, redisUrl: null }
    const unproven = { idp_user_id: `user_${randomUUID()}`, email: `${randomUUID()}@example.com` }
    await api.call('ensureUser', { body: unproven })
    const typed = `${randomUUID()}@example.com`
    const { token } = (
      await api.call('createInvitation', { as: sam, body: { email: typed, role: 'member' } })
    ).json
    await api.call('joinWithAccount', { body: { token, password: 'correct horse battery' } })
    const refusalOf = async (old: string, side: { idpUserId: string } | { email: string }) =>
      (await linkPeople(settings, [{ old, fresh: side }], true))[0]?.refusal
    const unknown = 'no other person has this id or verified e-mail address'
    expect(await refusalOf(typed, { idpUserId: future })).toBe(unknown)
    expect(await refusalOf(kim.userId, { email: 'nobody@example.com' })).toBe(
      'no local account has the new e-mail address',
    )
    const several = (await refusalOf(sam.email, { idpUserId: future })) ?? ''
    expect(several).toMatch(/^several people have this address, name one by id: /)
    expect(several.split(': ')[1]?.split(', ').toSorted()).toEqual([sam.userId, fresh.userId].toSorted())
    const wrong = [...pairs, { old: unproven.email, fresh: { idpUserId: `user_${randomUUID()}` } }]
    const refused = await linkPeople(settings, wrong, true)
    expect(refused.map(({ refusal }) => refusal)).toEqual([null, null, unknown])
    const dry = await linkPeople(settings, pairs, false)
    expect(dry.map(({ old, fresh: side }) => [old?.userId, side?.userId])).toEqual([
      [sam.userId, fresh.userId],
      [kim.userId, undefined],
    ])
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
    const done = await linkPeople(settings, pairs, true)
    expect((await signIn(fresh)).userId).toBe(sam.userId)
    expect(await ensured(future, 'kim@other.example')).toMatchObject({ userId: kim.userId })
    expect(await actionsIn(sam)).toContain('user.linked operator')
    const listed = (await listLinksOf(settings)).find(({ id }) => id === done[0]?.id)
    expect([listed?.old.userId, listed?.fresh?.userId]).toEqual([sam.userId, fresh.userId])
    expect(await undoLinkOf(settings, done[0]?.id ?? '')).not.toBeNull()
    expect((await signIn(fresh)).userId).toBe(fresh.userId)
  })
})
