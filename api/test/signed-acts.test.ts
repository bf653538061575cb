import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints, type Endpoint } from '@keyferry/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { auditKeyIn } from '../src/maintenance.ts'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type CallParts,
  expectError,
  type Identity,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
} from './api.ts'
import { newBundle } from './approval-client.ts'
import { propose } from './deposit-client.ts'
import { EXPECTED } from './isolation-table.ts'
import { createWorld, freshCall, type World } from './isolation-world.ts'
import { joinWorkspace } from './joined.ts'
import { alteredTouches, askedIn, signedCall, TouchKey } from './touch-client.ts'
import { writeTouch } from './written-rules.ts'

const SCOPES = new Set(['bundle', 'key', 'attachment', 'program', 'body', 'workspace', 'member'])
const ROWS: readonly (readonly [string, Endpoint])[] = Object.entries(apiEndpoints)
const GUARDED = ROWS.flatMap(([name, { touch }]) =>
  typeof touch === 'object' && SCOPES.has(touch.by) ? [name] : [],
)
const OWNER = -1
const DAY_MS = 24 * 60 * 60_000

/** Calls that give access for good, with a body that does. */
const LAST: readonly (readonly [ApiEndpointName, object | undefined])[] = [
  ['grantBundle', undefined],
  ['createMachineToken', undefined],
  ['rotateMachineToken', undefined],
  ['createMachineTrust', undefined],
  ['allowMachineAttempt', undefined],
  ['updateMachine', { audit: true }],
  ['createMachine', undefined],
  ['changeMemberRole', { role: 'owner' }],
  ['createInvitation', { email: 'kim@example.com', role: 'owner' }],
]

const LASTING = new Set<string>(LAST.flatMap(([name, body]) => (body === undefined ? [name] : [])))

function isEndpoint(name: string): name is ApiEndpointName {
  return name in apiEndpoints
}

test('the table says of 36 calls that a rule can ask for their signature', () => {
  expect(GUARDED.length).toBe(36)
})

describe.each(oneDatabase)('signed changes on %s', (kind) => {
  let api: TestApi
  let database: Database
  let world: World
  let now = new Date()
  let second: Identity
  const provided: Record<string, string> = {}
  let proposer: Identity & { idpUserId: string }
  const [key, stranger, secondKey] = [new TouchKey(), new TouchKey(), new TouchKey()]

  beforeAll(async () => {
    now = new Date()
    api = await startTestApi(kind, { now: () => now, providedGroups: provided })
    database = await openDatabaseOf(api)
    await auditKeyIn(database, api.settings, new Date().toISOString())
    world = await createWorld(api, database)
    await key.enrol(api, world.owner)
    await stranger.enrol(api, world.member)
    second = await joinWorkspace(api, world.owner, 'owner')
    proposer = await joinWorkspace(api, world.owner, 'member')
    await secondKey.enrol(api, second)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  test('a demand for a signature tells a limited member nothing of what is out of reach', async () => {
    const names = GUARDED.filter(isEndpoint).filter((name) => apiEndpoints[name].access === 'member')
    const calls: (readonly [ApiEndpointName, CallParts])[] = []
    for (const name of names.filter((each) => each !== 'removeMember'))
      calls.push([name, await freshCall(api, world, name)])
    await rule('passkey')
    for (const [name, parts] of calls) {
      const { failure } = await api.call(name, { ...parts, as: world.limited })
      expect({ name, code: failure?.code }).toEqual({ name, code: 'not_found' })
    }
    await rule('none')
    const own = { as: world.limited, body: { name: `partner/${randomUUID().slice(0, 8)}` } }
    const made = await api.call('createBundle', own)
    const params = { bundle_id: made.json.id }
    await rule('passkey')
    for (const name of ['updateBundle', 'duplicateBundle'] as const) {
      const out = await api.call(name, { as: world.limited, params, body: { name: 'hidden/new' } })
      expect({ name, code: out.failure?.code }).toEqual({ name, code: 'not_found' })
    }
    await rule('none')
  })

  test('a limited member removes an own signing key', async () => {
    const own = new TouchKey()
    const parts = { as: world.limited, params: { key_id: await own.enrol(api, world.limited) } }
    const asked = askedIn(await send('removeApprovalKey', parts))
    expect((await send('removeApprovalKey', parts, own.sign(asked))).status).toBe(200)
  })

  const remove = (as: Identity, { userId }: Identity) =>
    send('removeMember', { as, params: { user_id: userId } })

  test('a person’s removal is signed if the workspace loses a signing key or an owner by it', async () => {
    now = new Date(now.getTime() + 10_000)
    await rule('none')
    const [signer, owner, plain] = [
      await joinWorkspace(api, world.owner, 'member'),
      await joinWorkspace(api, world.owner, 'owner'),
      await joinWorkspace(api, world.owner, 'member'),
    ]
    await new TouchKey().enrol(api, signer)
    await rule('passkey')
    for (const person of [signer, owner])
      expect(JSON.parse(askedIn(await remove(world.owner, person)).statement)).toMatchObject({
        act: 'removeMember',
      })
    expect((await remove(world.owner, plain)).status).toBe(200)
    for (const person of [signer, owner]) expect((await remove(person, person)).status).toBe(200)
    await rule('none')
  })

  /** Set the rule of the workspace, past the calls that it guards. */
  async function rule(touch: 'none' | 'passkey' | 'device'): Promise<void> {
    await writeTouch(database, { tenantId: world.owner.tenantId, at: null }, touch)
  }

  /** A bundle with the rule, in a workspace without it. */
  async function guardedBundle(name: string): Promise<{ id: string; name: string }> {
    now = new Date(now.getTime() + 10_000)
    await rule('none')
    const bundle = await newBundle(api, world.owner, { [name]: 's3cret' })
    const place = { tenantId: world.owner.tenantId, at: { bundleId: bundle.id } }
    await writeTouch(database, place, 'passkey')
    return bundle
  }

  async function asWanted(name: ApiEndpointName): Promise<CallParts> {
    // No person is asked for more than 20 signatures a minute.
    now = new Date(now.getTime() + 10_000)
    await rule('none')
    const as = world.owner
    // An owner: anyone else's removal takes no signing key away.
    if (name === 'removeMember') return { as, params: { user_id: world.inactive.userId } }
    if (name === 'createMachine') return { as, body: { name: randomUUID(), audit: true } }
    const parts = { as, ...(await freshCall(api, world, name)) }
    const { params: { machine_id, bundle_id } = {} } = parts
    if (machine_id !== undefined) {
      const { params } = await freshCall(api, world, 'grantBundle')
      const to = { machine_id, bundle_id: params?.['bundle_id'] ?? '' }
      if (!bundle_id) await api.call('grantBundle', { as, params: to, body: { scope: 'deliver' } })
    }
    if (name !== 'importVariables') return parts
    const { json } = await api.call('getBundle', { as, ...(await freshCall(api, world, 'getBundle')) })
    return { as, body: { bundle: json.name, entries: [{ name: 'NEW', value: 'v' }] } }
  }

  const send = (name: ApiEndpointName, parts: CallParts, headers: Record<string, string> = {}) =>
    api.call(name, { ...parts, headers: { ...parts.headers, ...headers } })

  const newestChange = async () => {
    const { json } = await api.call('listAudit', { as: world.owner, query: { limit: '50' } })
    return json.find(({ action }) => action !== 'touch.refused')?.id
  }

  test.each(GUARDED.filter(isEndpoint))('%s does nothing until it is signed', async (name) => {
    now = new Date(now.getTime() + 10_000) // Their signed calls are counted together.
    const parts = await asWanted(name)
    await rule('passkey')
    const before = await newestChange()
    const asked = askedIn(await send(name, parts))
    expect(JSON.parse(asked.statement)).toMatchObject({ act: name, person: world.owner.userId })
    expect((await send(name, parts, stranger.sign(asked))).failure?.code).toBe('touch_refused')
    const other = askedIn(
      await send('createInvitation', { as: world.owner, body: { email: 'a@b.example', role: 'member' } }),
    )
    expect((await send(name, parts, key.sign(other))).failure?.code).toBe('changed')
    expect((await send(name, parts, key.sign(asked, { isVerified: false }))).failure?.code).toBe(
      'touch_refused',
    )
    expect(await newestChange()).toEqual(before)
    const done = await send(name, parts, key.sign(asked))
    expect(done.status).toBe(LASTING.has(name) ? 409 : EXPECTED[name].at(OWNER))
    expect((await send(name, parts, key.sign(asked))).status).toBeGreaterThan(399)
  })

  describe.each(LAST)('%s with %j lasts', (name, body) => {
    let parts: CallParts
    const signed = async (by = key, as = world.owner) => {
      const call = { ...parts, as }
      return await send(name, call, by.sign(askedIn(await send(name, call))))
    }
    beforeEach(async () => {
      const wanted = await asWanted(name)
      parts = body === undefined ? wanted : { ...wanted, body }
      await rule('passkey')
    })

    test('so one stolen signature gives nothing within the day', async () => {
      expect((await signed()).failure).toMatchObject({
        code: 'conflict',
        error: expect.stringMatching(/^signed: it waits/),
      })
      now = new Date(now.getTime() + DAY_MS - 30_000)
      expect((await signed()).status).toBe(409)
      now = new Date(now.getTime() + 30_000)
      expect((await signed()).status).toBe(EXPECTED[name].at(OWNER))
    })

    test('so another owner who signs the same carries it out', async () => {
      expect((await signed(secondKey, second)).status).toBe(409)
      expect((await signed()).status).toBe(EXPECTED[name].at(OWNER))
    })
  })

  test('an act that waits is listed, and any owner stops it without a signature', async () => {
    const parts = await asWanted('grantBundle')
    await rule('passkey')
    await send('grantBundle', parts, key.sign(askedIn(await send('grantBundle', parts))))
    const { json } = await api.call('listLastingActs', { as: second })
    const act = json.find(({ act: name }) => name === 'grantBundle')
    expect(act).toMatchObject({ person: { id: world.owner.userId }, concerns: expect.any(Object) })
    const stop = () => api.call('endLastingAct', { as: second, params: { act_id: act?.id ?? '' } })
    expect((await stop()).status).toBe(200)
    expectError(await stop(), 404, 'no such act waits', 'not_found')
    now = new Date(now.getTime() + DAY_MS)
    const again = await send('grantBundle', parts, key.sign(askedIn(await send('grantBundle', parts))))
    expect(again.status).toBe(409)
  })

  test('the log says who announced an act that lasts, and who stopped it', async () => {
    const parts = await asWanted('createMachineToken')
    await rule('passkey')
    await send('createMachineToken', parts, key.sign(askedIn(await send('createMachineToken', parts))))
    const { json } = await api.call('listLastingActs', { as: second })
    const act_id = json.at(-1)?.id ?? ''
    await api.call('endLastingAct', { as: second, params: { act_id } })
    const { json: log } = await api.call('listAudit', { as: second, query: { limit: '2' } })
    expect(log.map(({ action, actor }) => [action, actor.id])).toEqual([
      ['lasting_act.ended', second.userId],
      ['lasting_act.announced', world.owner.userId],
    ])
  })

  test('of two calls at once, one carries out an act that waited', async () => {
    const parts = await asWanted('createMachineToken')
    await rule('passkey')
    const signed = async () =>
      await send('createMachineToken', parts, key.sign(askedIn(await send('createMachineToken', parts))))
    expect((await signed()).status).toBe(409)
    now = new Date(now.getTime() + DAY_MS)
    const statuses = (await Promise.all([signed(), signed(), signed()])).map(({ status }) => status)
    // A signature that arrives behind a newer one of its key is refused too.
    expect(statuses.filter((status) => status < 300)).toHaveLength(1)
  })

  test('an act that fails still waits, and can be signed again', async () => {
    const parts = await asWanted('createMachineToken')
    await rule('passkey')
    const signed = async () =>
      await send('createMachineToken', parts, key.sign(askedIn(await send('createMachineToken', parts))))
    expect((await signed()).status).toBe(409)
    now = new Date(now.getTime() + DAY_MS)
    const full = sql`create trigger full before insert on machine_tokens begin select raise(abort, 'full'); end`
    await full.execute(database.query)
    try {
      expect((await signed()).status).toBeGreaterThanOrEqual(500)
    } finally {
      await sql`drop trigger full`.execute(database.query)
    }
    const log = await api.call('listAudit', { as: second, query: { limit: '1' } })
    expect(log.json[0]?.action).toBe('lasting_act.announced')
    expect((await signed()).status).toBe(EXPECTED.createMachineToken.at(OWNER))
    const { json } = await api.call('listAudit', { as: second, query: { limit: '2' } })
    expect(json.map(({ action }) => action).toSorted()).toEqual(['lasting_act.ended', 'token.created'])
  })

  test('a rule about devices takes no synced key', async () => {
    const parts = await asWanted('updateBundle')
    await rule('device')
    const asked = askedIn(await send('updateBundle', parts))
    expect((await send('updateBundle', parts, key.sign(asked, { isSynced: true }))).failure?.code).toBe(
      'touch_refused',
    )
    expect((await send('updateBundle', parts, key.sign(asked))).status).toBe(200)
  })

  test('of two signed changes of the same value at once, one is made', async () => {
    const still = new TouchKey()
    await still.enrol(api, world.owner)
    const parts = { ...(await asWanted('updateKey')), body: { value: 'one' } }
    await rule('passkey')
    const [one, two] = [askedIn(await send('updateKey', parts)), askedIn(await send('updateKey', parts))]
    const answers = await Promise.all(
      [one, two].map((asked) => send('updateKey', parts, still.sign(asked, { counter: 0 }))),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('no altered signature counts', async () => {
    const parts = await asWanted('deleteKey')
    await rule('passkey')
    const header = key.sign(askedIn(await send('deleteKey', parts)))
    const { params = {} } = parts
    const keyNow = async () => (await api.call('getKey', { as: world.owner, params })).json
    const before = await keyNow()
    for (const altered of alteredTouches(header)) {
      const { status } = await send('deleteKey', parts, altered)
      expect([400, 403, 409], altered['keyferry-touch']).toContain(status)
    }
    expect(await keyNow()).toEqual(before)
    expect((await send('deleteKey', parts, header)).status).toBe(200)
  })

  test('calls with any signature are counted before the work', async () => {
    const parts = await asWanted('updateKey')
    await rule('passkey')
    const header = key.sign(askedIn(await send('updateKey', parts)))
    const statuses: number[] = []
    for (const altered of alteredTouches(header, 25))
      statuses.push((await send('updateKey', parts, altered)).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(4)
  })

  if (kind === 'postgres')
    test('of one signature at two servers at once, one use counts', async () => {
      const still = new TouchKey()
      await still.enrol(api, world.owner)
      const { databaseUrl, rootKeys } = api.settings
      const other = await startTestApi(kind, { databaseUrl, rootKeys, now: () => now })
      try {
        const parts = await asWanted('updateKey')
        await rule('passkey')
        const headers = still.sign(askedIn(await send('updateKey', parts)), { counter: 0 })
        const answers = await Promise.all(
          [api, other, api, other].map((node) => node.call('updateKey', { ...parts, headers })),
        )
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
      } finally {
        await other.close()
      }
    })

  test('an import into another bundle that shares or replaces a guarded key is signed', async () => {
    const name = `K${randomUUID().replaceAll('-', '')}`
    await guardedBundle(name)
    const bundle = `into-${name}`
    const imported = (choices: object) =>
      send('importVariables', {
        as: world.owner,
        body: { bundle, entries: [{ name, value: 'x' }], ...choices },
      })
    for (const choices of [{ share: [name] }, { replace: [name] }, { replace: 'all' }]) {
      const asked = askedIn(await imported(choices))
      expect(JSON.parse(asked.statement).concerns.keys).toMatchObject([{ name }])
    }
    expect((await imported({ own: [name] })).status).toBe(200)
  })

  test('to accept a proposal for a guarded bundle is signed, also after a new name of the bundle', async () => {
    const name = `K${randomUUID().replaceAll('-', '')}`
    const guarded = await guardedBundle(name)
    const as = world.owner
    const proposal_id = await propose(api, proposer, { bundle: guarded.name, values: { [`${name}2`]: 'v' } })
    const rename = { as, params: { bundle_id: guarded.id }, body: { name: `${guarded.name}-2` } }
    await send('updateBundle', rename, key.sign(askedIn(await send('updateBundle', rename))))
    const params = { proposal_id }
    const { plan_id } = (await api.call('planProposal', { as, params })).json
    askedIn(await send('acceptProposal', { as, params, body: { plan_id } }))
  })

  test('a key in no bundle is signed where the workspace has the rule', async () => {
    const as = world.owner
    const name = `K${randomUUID().replaceAll('-', '')}`
    await rule('none')
    const params = { key_id: (await api.call('createKey', { as, body: { name, value: 'v' } })).json.id }
    await rule('passkey')
    askedIn(await send('updateKey', { as, params, body: { is_secret: false } }))
    await rule('none')
  })

  test('the groups that a call names are signed as they are, and none is deleted without a signature', async () => {
    const as = world.owner
    const bundle_id = (await asWanted('updateBundle')).params?.['bundle_id'] ?? ''
    const group = { name: randomUUID(), people: [second.userId] }
    const { json } = await signedCall(api, key, 'createGroup', { as, body: group })
    const group_id = json.id
    await rule('passkey')
    const body = { approvers: 'named', people: [group_id] }
    const invited = { as, body: { email: `${randomUUID()}@a.example`, role: 'member', groups: [group_id] } }
    const change = { as: second, params: { group_id }, body: { people: [] } }
    const calls: readonly (readonly [ApiEndpointName, CallParts])[] = [
      ['createInvitation', invited],
      ['changeTenantPolicy', { as, body }],
      ['changeBundlePolicy', { as, body, params: { bundle_id } }],
      ['deleteGroup', { as, params: { group_id } }],
    ]
    for (const [name, parts] of calls) {
      const { concerns } = JSON.parse(askedIn(await send(name, parts)).statement)
      expect({ name, groups: concerns.groups }).toMatchObject({ name, groups: [group] })
    }
    const header = key.sign(askedIn(await send('createInvitation', invited)))
    const changed = await send(
      'changeGroup',
      change,
      secondKey.sign(askedIn(await send('changeGroup', change))),
    )
    expect(changed.status).toBe(200)
    expect((await send('createInvitation', invited, header)).failure?.code).toBe('changed')
    await rule('none')
  })

  test('the rule begins the limit anew of whom only the provider added to a group', async () => {
    await rule('none')
    const as = world.owner
    const { idpUserId, userId: user_id } = proposer
    const limited = (limited_to: string[] | null) => ({ params: { user_id }, body: { limited_to } })
    const parts = { as, ...limited(['partner/']) }
    expect((await signedCall(api, key, 'changeMemberLimit', parts)).status).toBe(200)
    const group = { name: randomUUID(), adds: ['added/'] }
    const value = randomUUID()
    provided[value] = (await signedCall(api, key, 'createGroup', { as, body: group })).json.id
    const body = { email: `${value}@example.com`, groups: [value] }
    const headers = layerHeaders('PUT', `/api/v1/users/${idpUserId}`, body, now)
    const signedIn = { params: { idp_user_id: idpUserId }, body, headers }
    expect((await api.call('changeProvidedUser', signedIn)).status).toBe(200)
    now = new Date(now.getTime() + 1_000)
    const limitedAt = async () => {
      const row = database.query.selectFrom('memberships').where('user_id', '=', user_id)
      return (await row.where('tenant_id', '=', as.tenantId).select('limited_at').execute())[0]?.limited_at
    }
    expect(Date.parse((await limitedAt()) ?? '')).toBeLessThan(now.getTime())
    const folder = `${value}/`
    const set = await signedCall(api, key, 'changeTenantPolicy', { as, body: { folder, touch: 'passkey' } })
    expect(set.status).toBe(200)
    expect(await limitedAt()).toBe(now.toISOString())
    await writeTouch(database, { tenantId: as.tenantId, at: { folder } }, 'none')
    // The end of a limit waits for another owner, where rules ask for signatures.
    await signedCall(api, key, 'changeMemberLimit', { as, ...limited(null) })
    const ended = await signedCall(api, secondKey, 'changeMemberLimit', { as: second, ...limited(null) })
    expect(ended.status).toBe(200)
  })

  test('what takes access away, or is not there, needs no signature', async () => {
    const as = world.owner
    const [machine, unknown] = [await asWanted('updateMachine'), { bundle_id: 'x', machine_id: 'x' }]
    await rule('passkey')
    expect((await send('updateMachine', { ...machine, body: { is_active: false } })).status).toBe(200)
    expect((await send('deleteMachine', machine)).status).toBe(200)
    expect((await send('deleteBundle', { as, params: unknown })).status).toBe(404)
    expect((await send('grantBundle', { as, params: unknown, body: { scope: 'read' } })).status).toBe(404)
    await rule('none')
  })
})
