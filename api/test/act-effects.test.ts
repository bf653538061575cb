import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
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
import { approveDeposit, DepositClient, propose } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { newMachine } from './machine-client.ts'
import { secretOf } from './returning-client.ts'
import { askedIn, signedCall, TouchKey } from './touch-client.ts'
import { writeTouch } from './written-rules.ts'

/*
 * What an act means, for each row of the endpoint table that a person can have to sign: nothing that lasts, or a wait
 * for another owner or a day. `prod` has the rule `touch` and contains PASS. The machine *ci* gets `dev`, and a limited
 * member reaches what is in `partner/`.
 */

const nothing = async () => {}

const WAITS = { code: 'conflict', error: expect.stringMatching(/^signed: it waits/) }

const copyOf = (bundle: string, from: string) => ({
  bundle,
  entries: [{ name: 'PASS', from }],
  own: ['PASS'],
})

describe.each(oneDatabase)('what a signed act means, on %s', (kind) => {
  let api: TestApi
  let database: Database
  let now = new Date()
  let owner: Identity
  let second: Identity & { idpUserId: string }
  let limited: Identity & { idpUserId: string }
  let keys: ReadonlyMap<Identity, TouchKey>
  let prod: { id: string; name: string }
  let dev: { id: string; name: string }
  let passId: string
  let machineId: string
  let beforeWrite = nothing
  const aroundDatabase = (opened: Database): Database => ({
    ...opened,
    write: async (change) => {
      await beforeWrite()
      return await opened.write(change)
    },
  })

  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now: () => now, aroundDatabase })
    database = await openDatabaseOf(api)
    await auditKeyIn(database, api.settings, new Date().toISOString())
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })
  beforeEach(async () => {
    now = new Date()
    owner = await api.newOwner()
    second = await joinWorkspace(api, owner, 'owner')
    limited = await joinWorkspace(api, owner, 'member', { limited_to: ['partner/'] })
    const own = { as: owner }
    keys = new Map([
      [owner, new TouchKey()],
      [second, new TouchKey()],
    ])
    for (const [person, key] of keys) await key.enrol(api, person)
    prod = await newBundle(api, owner, { PASS: 's3cret' })
    dev = await newBundle(api, owner, { URL: 'other' })
    passId = await keyOf(prod, 'PASS')
    machineId = (await newMachine(api, owner)).id
    const params = { machine_id: machineId, bundle_id: dev.id }
    await api.call('grantBundle', { ...own, params, body: { scope: 'deliver' } })
    await rule('passkey', prod.id)
  })

  const keyOf = async (bundle: { id: string }, name: string) => {
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })
    return json.find((key) => key.name === name)?.id ?? ''
  }
  const rule = (touch: 'passkey' | 'device' | 'none', bundleId: string | null) =>
    writeTouch(database, { tenantId: owner.tenantId, at: bundleId === null ? null : { bundleId } }, touch)
  const signed = (name: ApiEndpointName, parts: Omit<CallParts, 'as'>, as = owner) =>
    signedCall(api, keys.get(as) ?? new TouchKey(), name, { ...parts, as })
  /** What a signature of this call would say that it gives. */
  const gains = async (name: ApiEndpointName, parts: CallParts) => {
    const { concerns } = JSON.parse(askedIn(await api.call(name, { as: owner, ...parts })).statement)
    return concerns.gains
  }
  const secondKey = () => keys.get(second) ?? new TouchKey()
  const MACHINE = [expect.stringMatching(/^machine m-\S+ gets PASS$/)]
  const MEMBER = [expect.stringMatching(/^member \S+ gets PASS$/)]
  const at = (bundle: { id: string }, key_id = passId) => ({ bundle_id: bundle.id, key_id })
  const partner = async () =>
    (await api.call('createBundle', { as: owner, body: { name: `partner/${randomUUID()}` } })).json.id
  const touchOf = async (keyId: string) => {
    const other = await newBundle(api, owner, {})
    await signed('attachKey', { params: at(other, keyId) })
    const call = { as: owner, params: { key_id: keyId }, body: { value: randomUUID() } }
    return (await api.call('updateKey', call)).failure?.code ?? 'none'
  }

  /** The calls, each with what it needs first, and what it gives. */
  const CALLS: Readonly<
    Record<string, [name: ApiEndpointName, parts: () => Promise<CallParts> | CallParts, gives: unknown]>
  > = {
    'attach to a bundle of a machine': ['attachKey', () => ({ params: at(dev) }), MACHINE],
    'attach to a bundle of a limited member': [
      'attachKey',
      async () => ({ params: { bundle_id: await partner(), key_id: passId } }),
      MEMBER,
    ],
    'attach to a bundle that nobody gets': [
      'attachKey',
      async () => ({ params: at(await newBundle(api, owner, {})) }),
      undefined,
    ],
    'attach several': [
      'changeKeys',
      () => ({ body: { action: 'attach', key_ids: [passId], bundle_id: dev.id } }),
      MACHINE,
    ],
    'detach several': [
      'changeKeys',
      () => ({ body: { action: 'detach', key_ids: [passId], bundle_id: prod.id } }),
      undefined,
    ],
    'another key in an attachment': [
      'changeAttachment',
      async () => ({ params: at(dev, await keyOf(dev, 'URL')), body: { key_id: passId } }),
      MACHINE,
    ],
    'another name in a bundle': [
      'changeAttachment',
      () => ({ params: at(prod), body: { as: 'PW' } }),
      undefined,
    ],
    detach: ['detachKey', () => ({ params: at(prod) }), undefined],
    'split in the same bundle': [
      'splitKey',
      async () => {
        const other = await newBundle(api, owner, {})
        await signed('attachKey', { params: at(other) })
        return { params: at(other), body: {} }
      },
      undefined,
    ],
    'import that shares': [
      'importVariables',
      () => ({ body: { bundle: dev.name, entries: [{ name: 'PASS', from: prod.name }] } }),
      MACHINE,
    ],
    'import of a copy': [
      'importVariables',
      () => ({ body: { bundle: dev.name, entries: [{ name: 'PASS', from: prod.name }], own: ['PASS'] } }),
      MACHINE,
    ],
    'import of a copy of a copy': [
      'importVariables',
      () => {
        const between = `between/${randomUUID()}`
        return { body: { ...copyOf(between, prod.name), also: [copyOf(dev.name, between)] } }
      },
      MACHINE,
    ],
    'import of a value that it brings': [
      'importVariables',
      () => ({ body: { bundle: prod.name, entries: [{ name: 'NEW', value: 'v' }] } }),
      undefined,
    ],
    'accept a proposal that shares': [
      'acceptProposal',
      async () => {
        await rule('none', prod.id)
        const proposer = await joinWorkspace(api, owner, 'member')
        await rule('passkey', prod.id)
        const proposal_id = await propose(api, proposer, { bundle: dev.name, values: { PASS: 's3cret' } })
        const params = { proposal_id }
        const plan = { as: owner, params, body: { share: ['PASS'] } }
        const { plan_id } = (await api.call('planProposal', plan)).json
        return { params, body: { plan_id, share: ['PASS'] } }
      },
      MACHINE,
    ],
    'rename to where a limited member reaches': [
      'updateBundle',
      () => ({ params: { bundle_id: prod.id }, body: { name: `partner/${randomUUID()}` } }),
      MEMBER,
    ],
    'rename to where nobody reaches': [
      'updateBundle',
      () => ({ params: { bundle_id: prod.id }, body: { name: `away/${randomUUID()}` } }),
      undefined,
    ],
    'duplicate with copies to where a limited member reaches': [
      'duplicateBundle',
      () => ({ params: { bundle_id: prod.id }, body: { name: `partner/${randomUUID()}`, own: ['PASS'] } }),
      MEMBER,
    ],
    'duplicate to where nobody reaches': [
      'duplicateBundle',
      () => ({ params: { bundle_id: prod.id }, body: { name: `away/${randomUUID()}` } }),
      undefined,
    ],
    'delete the bundle': ['deleteBundle', () => ({ params: { bundle_id: prod.id } }), undefined],
    'declare public': [
      'updateKey',
      () => ({ params: at(prod), body: { is_secret: false } }),
      ['PASS is no secret any more'],
    ],
    'import that declares public': [
      'importVariables',
      () => ({ body: { bundle: prod.name, entries: [{ name: 'PASS', value: 'v', is_secret: false }] } }),
      ['PASS is no secret any more'],
    ],
    'delete a key': ['deleteKey', () => ({ params: at(prod) }), undefined],
    'widen a limit': [
      'changeMemberLimit',
      () => ({ params: { user_id: limited.userId }, body: { limited_to: ['partner/', 'else/'] } }),
      [expect.stringMatching(/^member \S+ gets else\/$/)],
    ],
    'end a limit': [
      'changeMemberLimit',
      () => ({ params: { user_id: limited.userId }, body: { limited_to: null } }),
      [expect.stringMatching(/^member \S+ gets everything$/)],
    ],
    'put someone into a group that adds something': [
      'changeGroup',
      async () => {
        const body = { name: 'a', adds: ['more/'] }
        await signed('createGroup', { body })
        const [group] = (await api.call('listGroups', { as: owner })).json
        return { params: { group_id: group?.id ?? '' }, body: { people: [limited.userId] } }
      },
      [expect.stringMatching(/^member \S+ gets more\/$/)],
    ],
    'narrow a limit': [
      'changeMemberLimit',
      () => ({ params: { user_id: limited.userId }, body: { limited_to: ['partner/a/'] } }),
      undefined,
    ],
    'a group that adds nothing': [
      'createGroup',
      () => ({ body: { name: 'a', people: [limited.userId] } }),
      undefined,
    ],
    'a group that adds something': [
      'createGroup',
      () => ({ body: { name: 'a', adds: ['more/'], people: [limited.userId] } }),
      [expect.stringMatching(/^member \S+ gets more\/$/)],
    ],
    'a stricter rule': [
      'changeBundlePolicy',
      () => ({ params: { bundle_id: prod.id }, body: { approvers: 'owner' } }),
      undefined,
    ],
    'a stricter rule of the workspace': [
      'changeTenantPolicy',
      () => ({ body: { approvers: 'owner' } }),
      undefined,
    ],
  }

  test.each(Object.keys(CALLS))('%s', async (what) => {
    const [name, partsOf, gives] = CALLS[what] ?? ['getMe', () => ({}), undefined]
    const parts = await Promise.resolve(partsOf())
    expect(await gains(name, parts)).toEqual(gives)
    const answer = await signed(name, parts)
    if (gives === undefined) return expect(answer.status).toBeLessThan(300)
    expect(answer.failure).toMatchObject(WAITS)
    expect((await signed(name, parts, second)).status).toBeLessThan(300)
  })

  test('what changes while a signed act is carried out gets nothing that its statement does not name', async () => {
    const own = { as: owner }
    /** Another machine gets the bundle right before a write of the act. @returns both answers */
    const besides = async (writeAt: number) => {
      now = new Date(now.getTime() + 60_000)
      const bundle = await newBundle(api, owner, {})
      const grant = { ...own, body: { scope: 'deliver' } }
      const grantTo = ({ id }: { id: string }) =>
        api.call('grantBundle', { ...grant, params: { machine_id: id, bundle_id: bundle.id } })
      const [one, other] = [await newMachine(api, owner), await newMachine(api, owner)]
      await grantTo(one)
      const call = { params: at(bundle) }
      expect((await signed('attachKey', call)).failure).toMatchObject(WAITS)
      const asked = askedIn(await api.call('attachKey', { ...call, as: second }))
      let writes = 0
      let granted: number | null = null
      beforeWrite = async () => {
        writes += 1
        if (writes === writeAt) granted = (await grantTo(other)).status
      }
      const { status, failure } = await api.call('attachKey', {
        ...call,
        as: second,
        headers: secondKey().sign(asked),
      })
      beforeWrite = nothing
      return { granted, attached: status, code: failure?.code }
    }
    const seen = []
    for (let writeAt = 1; seen.at(-1)?.granted !== null; writeAt++) seen.push(await besides(writeAt))
    expect(seen.at(-1)).toEqual({ granted: null, attached: 201, code: undefined })
    expect(seen.filter(({ granted, attached }) => granted === 200 && attached === 201)).toEqual([])
    expect(seen).toContainEqual({ granted: 200, attached: 409, code: 'changed' })
  })

  const STRICT = {
    assurance: 'local',
    approvers: 'owner',
    changers: 'owner',
    approvals_needed: 2,
    agents: 'deny',
    remember_hours: 1,
  } as const
  const LOOSER = {
    assurance: 'bound',
    approvers: 'member',
    changers: 'member',
    approvals_needed: 1,
    agents: null,
    remember_hours: 8,
  } as const

  test.each(Object.entries(LOOSER))(
    'a looser rule %s waits, of a bundle and of the workspace',
    async (field, to) => {
      for (const params of [{ bundle_id: prod.id }, undefined]) {
        const name = params === undefined ? 'changeTenantPolicy' : 'changeBundlePolicy'
        const call = (body: object, as = owner) => signed(name, { ...(params && { params }), body }, as)
        expect((await call(STRICT)).status).toBe(200)
        expect((await call({ [field]: to })).failure).toMatchObject(WAITS)
        now = new Date(now.getTime() + 60_000)
        expect((await call({ [field]: to }, second)).status).toBe(200)
      }
    },
  )

  test('another name among the approvers waits', async () => {
    const params = { bundle_id: prod.id }
    const named = { approvers: 'named', people: [owner.userId] }
    expect((await signed('changeBundlePolicy', { params, body: named })).status).toBe(200)
    const more = { ...named, people: [owner.userId, second.userId] }
    expect((await signed('changeBundlePolicy', { params, body: more })).failure).toMatchObject(WAITS)
  })

  test.each<[string, ApiEndpointName, () => CallParts]>([
    ['detached', 'detachKey', () => ({ params: at(prod) })],
    [
      'detached with others',
      'changeKeys',
      () => ({ body: { action: 'detach', key_ids: [passId], bundle_id: prod.id } }),
    ],
    [
      'left by an import',
      'importVariables',
      () => ({ body: { bundle: prod.name, entries: [], detach: ['PASS'] } }),
    ],
    ['left by the end of its bundle', 'deleteBundle', () => ({ params: { bundle_id: prod.id } })],
  ])('a secret that is %s keeps the rule, and the end of that waits', async (_, name, parts) => {
    expect((await signed(name, parts())).status).toBeLessThan(300)
    expect(await touchOf(passId)).toBe('touch_required')
    const body = { folder: `key/${passId}/`, touch: null }
    const end = (as: Identity) => signed('changeTenantPolicy', { body }, as)
    expect((await end(owner)).failure).toMatchObject(WAITS)
    expect((await end(second)).status).toBe(200)
    expect(await touchOf(passId)).toBe('none')
  })

  test('a copy keeps the rule', async () => {
    const other = await newBundle(api, owner, {})
    const entries = [{ name: 'PASS', from: prod.name }]
    const body = { bundle: other.name, entries, own: ['PASS'] }
    expect((await signed('importVariables', { body })).status).toBeLessThan(300)
    expect(await touchOf(await keyOf(other, 'PASS'))).toBe('touch_required')
  })

  test('a kept rule judges an approval', async () => {
    const other = await newBundle(api, owner, {})
    await signed('attachKey', { params: at(other) })
    await signed('deleteBundle', { params: { bundle_id: prod.id } })
    const { json } = await api.call('getBundlePolicy', { as: owner, params: { bundle_id: other.id } })
    expect(json.stricter).toEqual(['PASS'])
  })

  test('a deposit brings no protected value to a machine, at once or when its approval returns', async () => {
    await rule('none', prod.id)
    const client = new DepositClient(api)
    const requestId = await client.deposit(dev.name, { PASS: 's3cret' }, { share: ['PASS'] })
    const held = await approveDeposit(api, owner, { requestId, release: 'code', share: ['PASS'] })
    await rule('passkey', prod.id)
    expect((await client.release(requestId, secretOf(held.json))).failure?.error).toMatch(
      /^others get more after this/,
    )
    expect(await keyOf(dev, 'PASS')).toBe('')
  })

  test('a machine that reads the log, or a proof for one, is signed and waits', async () => {
    const body = { name: randomUUID(), audit: true }
    expectError(
      await api.call('createMachine', { as: owner, body }),
      403,
      'sign this with your signing key',
      'touch_required',
    )
    expect((await signed('createMachine', { body })).failure).toMatchObject(WAITS)
    const made = await signed('createMachine', { body }, second)
    expect(made.status).toBe(201)
    const { json } = await api.call('listMachines', { as: owner })
    const params = { machine_id: json.find(({ name }) => name === body.name)?.id ?? '' }
    expect((await signed('createMachineToken', { params })).failure).toMatchObject(WAITS)
    const trust = {
      issuer: 'https://token.actions.githubusercontent.com',
      audience: 'keyferry',
      claims: {
        repository_id: ['1'],
        environment: ['x'],
      },
    }
    expect((await signed('createMachineTrust', { params, body: trust })).failure).toMatchObject(WAITS)
    const attempt = { ...params, fingerprint: 'a'.repeat(64) }
    const allowed = { params: attempt, body: { issuer: trust.issuer, claims: { sub: 'x' } } }
    expect((await api.call('allowMachineAttempt', { as: owner, ...allowed })).failure?.code).toBe(
      'touch_required',
    )
    expect((await signed('allowMachineAttempt', allowed)).failure).toMatchObject(WAITS)
    const [token] = [{ ...params, token_id: randomUUID() }]
    expect((await signed('rotateMachineToken', { params: token })).failure).toMatchObject(WAITS)
    const later = await newMachine(api, owner)
    const reads = { params: { machine_id: later.id }, body: { audit: true } }
    expect((await api.call('updateMachine', { as: owner, ...reads })).failure?.code).toBe('touch_required')
    expect((await signed('updateMachine', reads)).failure).toMatchObject(WAITS)
    expect((await api.call('createMachine', { as: owner, body: { name: randomUUID() } })).status).toBe(201)
  })

  test('what proves a machine is signed in one order, whatever it is', async () => {
    const params = { machine_id: machineId }
    const trust = { issuer: 'https://token.actions.githubusercontent.com', audience: 'keyferry' }
    for (const [index, environment] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      const claims = { repository_id: ['1'], environment: [environment] }
      const body = { ...trust, claims }
      expect((await api.call('createMachineTrust', { as: owner, params, body })).status).toBe(201)
      if (index > 0) await api.call('createMachineToken', { as: owner, params })
    }
    const grant = { as: owner, params: { ...params, bundle_id: prod.id }, body: { scope: 'deliver' } }
    const { concerns } = JSON.parse(askedIn(await api.call('grantBundle', grant)).statement)
    const [{ proofs }] = concerns.machines
    expect(proofs).toHaveLength(12)
    expect(proofs).toEqual(proofs.toSorted())
  })

  test('a machine that gets another token, or another machine of its name, is not what was signed', async () => {
    const attach = { params: at(dev) }
    expect((await signed('attachKey', attach)).failure).toMatchObject(WAITS)
    const params = { machine_id: machineId }
    expect((await api.call('createMachineToken', { as: owner, params })).status).toBe(201)
    expect((await signed('attachKey', attach, second)).failure?.code).toBe('changed')
    expect((await signed('attachKey', attach)).failure).toMatchObject(WAITS)
    const { json } = await api.call('listMachines', { as: owner })
    const name = json.find(({ id }) => id === machineId)?.name ?? ''
    await api.call('updateMachine', { as: owner, params, body: { name: `old-${name}`, is_active: false } })
    const other = await newMachine(api, owner)
    await api.call('updateMachine', { as: owner, params: { machine_id: other.id }, body: { name } })
    const place = { machine_id: other.id, bundle_id: dev.id }
    await api.call('grantBundle', { as: owner, params: place, body: { scope: 'deliver' } })
    expect((await signed('attachKey', attach, second)).failure?.code).toBe('changed')
  })

  test('under device, a synced key confirms no key and removes none', async () => {
    const synced = new TouchKey({ isSynced: true })
    await synced.enrol(api, second)
    await rule('device', prod.id)
    const id = (await api.call('listApprovalKeys', { as: owner })).json.keys.find(
      ({ user_id }) => user_id === owner.userId,
    )?.id
    const parts = { as: second, params: { key_id: id ?? '' } }
    const asked = askedIn(await api.call('removeApprovalKey', parts))
    expect(asked.keys).toHaveLength(1)
    const headers = synced.sign(asked)
    expect((await api.call('removeApprovalKey', { ...parts, headers })).failure?.code).toBe('touch_refused')
    const made = (await new TouchKey().add(api, owner)).json
    const letters = { fingerprint: made.fingerprint?.slice(0, 9) ?? '' }
    const confirming = { as: second, params: { key_id: made.id }, body: letters }
    const confirmed = await api.call('confirmApprovalKey', {
      ...confirming,
      headers: synced.sign(askedIn(await api.call('confirmApprovalKey', confirming))),
    })
    expect(confirmed.failure?.code).toBe('touch_refused')
    const ofRules = { as: second, params: { bundle_id: prod.id }, body: { approvers: 'owner' } }
    expect(askedIn(await api.call('changeBundlePolicy', ofRules)).keys).toHaveLength(1)
  })

  test('a key that an owner confirmed who became a member does not count', async () => {
    const made = (await new TouchKey().add(api, owner)).json
    const body = { fingerprint: made.fingerprint?.slice(0, 9) ?? '' }
    const confirming = { params: { key_id: made.id }, body }
    expect((await signed('confirmApprovalKey', confirming, second)).failure).toMatchObject(WAITS)
    await signed('changeMemberRole', { params: { user_id: second.userId }, body: { role: 'member' } })
    now = new Date(now.getTime() + 25 * 60 * 60_000)
    const { json } = await api.call('listApprovalKeys', { as: owner })
    expect(json.keys.map(({ id }) => id)).not.toContain(made.id)
  })

  test('what an owner signed while they became a member is not carried out', async () => {
    const parts = { params: at(dev) }
    expect((await signed('attachKey', parts)).failure).toMatchObject(WAITS)
    const headers = secondKey().sign(askedIn(await api.call('attachKey', { as: second, ...parts })))
    const role = { params: { user_id: second.userId }, body: { role: 'member' } }
    expect((await signed('changeMemberRole', role)).status).toBe(200)
    const late = await api.call('attachKey', { as: second, ...parts, headers })
    expect(late.status).toBeGreaterThan(399)
    expect(await keyOf(dev, 'PASS')).toBe('')
  })

  test('a key that an owner confirmed who was disabled does not count', async () => {
    const made = (await new TouchKey().add(api, owner)).json
    const body = { fingerprint: made.fingerprint?.slice(0, 9) ?? '' }
    const confirming = { params: { key_id: made.id }, body }
    expect((await signed('confirmApprovalKey', confirming, second)).failure).toMatchObject(WAITS)
    const params = { idp_user_id: second.idpUserId }
    const disabled = { is_active: false }
    const headers = layerHeaders('PUT', `/api/v1/users/${second.idpUserId}`, disabled)
    expect((await api.call('changeProvidedUser', { params, body: disabled, headers })).status).toBe(200)
    now = new Date(now.getTime() + 25 * 60 * 60_000)
    const { json } = await api.call('listApprovalKeys', { as: owner })
    expect(json.keys.map(({ id }) => id)).not.toContain(made.id)
  })

  test('under device anywhere, a rule for another place is set with a key of a device', async () => {
    const synced = new TouchKey({ isSynced: true })
    await synced.enrol(api, owner)
    await rule('device', prod.id)
    const asked = askedIn(
      await api.call('changeBundlePolicy', {
        as: owner,
        params: { bundle_id: dev.id },
        body: { touch: 'passkey' },
      }),
    )
    expect(asked.keys).toHaveLength(1)
  })

  test('an invitation into a group waits, and one without does not', async () => {
    await signed('createGroup', { body: { name: 'a', people: [] } })
    const [group] = (await api.call('listGroups', { as: owner })).json
    const invited = (groups: string[]) =>
      signed('createInvitation', { body: { email: `${randomUUID()}@example.com`, role: 'member', groups } })
    expect((await invited([group?.id ?? ''])).failure).toMatchObject(WAITS)
    expect((await invited([])).status).toBe(201)
  })

  test('what takes more than 2,000 secrets out of a rule is refused before it is signed', async () => {
    const entries = Array.from({ length: 2_001 }, (_, index) => ({ name: `N_${index}`, value: 'v' }))
    const wide = await newBundle(api, owner, {})
    await api.call('importVariables', { as: owner, body: { bundle: wide.name, entries } })
    await rule('passkey', wide.id)
    const params = { bundle_id: wide.id }
    const answer = await api.call('deleteBundle', { as: owner, params })
    expect(answer.failure?.error).toBe(
      'this changes who gets more than 2000 values: do it in smaller batches',
    )
    const body = { bundle: wide.name, entries: [], detach: entries.slice(1).map(({ name }) => name) }
    expect((await signed('importVariables', { body })).status).toBeLessThan(300)
    const most =
      'a workspace has rules for at most 2000 variables that left a bundle and kept some: end them on the page Rules (PUT /api/v1/tenants/current/policy), or delete variables'
    expect((await signed('deleteBundle', { params })).failure?.error).toBe(most)
    const { json } = await api.call('listKeys', { as: owner, query: { query: 'N_7', limit: '1' } })
    expect((await signed('deleteKey', { params: { key_id: json[0]?.id ?? '' } })).status).toBe(200)
    expect((await signed('deleteBundle', { params })).status).toBeLessThan(300)
  })

  test('each row that can be signed says whether it lasts', () => {
    const rows = Object.entries(apiEndpoints).filter(
      ([, row]) => 'touch' in row && typeof row.touch === 'object',
    )
    expect(rows.length).toBe(41)
  })
})
