import { randomUUID } from 'node:crypto'
import { depositKeyFits } from '@keyferry/crypto/deposit'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDepositKey } from '../src/main.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { approveDeposit, box, bundleValues, DepositClient, planOf, storeDeposit } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'

const bytes = (text: string) => Buffer.from(text, 'base64')
let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

// Why a refused deposit is damaged.
const damageOf = ({ failure }: { failure?: { code?: string; error: string } | null }) =>
  failure?.code === 'deposit_damaged' &&
  /^The deposit cannot be stored: (.*)\. Deny it and run the command again\.$/.exec(failure.error)?.[1]

const freshName = (prefix = 'dev') => `${prefix}/${randomUUID()}`

describe.each(oneDatabase)('deposits on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const approve = (client: DepositClient, requestId: string, as = owner) =>
    storeDeposit(api, as, { client, requestId })
  const contextOf = async (request_id: string) =>
    (await api.call('getRequestContext', { params: { request_id } })).json
  const newest = async (limit: number) => {
    const { json } = await api.call('listAudit', { as: owner, query: { limit: String(limit) } })
    return json.map(({ action }) => action)
  }

  test('values are stored with one approval, and the terminal learns what happened', async () => {
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { URL: 'pg://s3cret', PORT: ['8080', false] })
    expect((await approve(client, id)).status).toBe(200)
    const answer = await client.waits(id)
    expect(answer.json).toEqual({
      status: 'applied',
      deposit: {
        id: expect.any(String),
        bundle: { id: expect.any(String), name: bundle },
        workspace: { id: owner.tenantId, name: expect.any(String) },
        counts: { create: 2, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 },
        approved_by: expect.any(String),
        receipt: expect.any(Object),
      },
    })
    expect(await bundleValues(api, owner, bundle)).toEqual({ URL: 'pg://s3cret', PORT: '8080' })
    // The record answers for a day, also when a crash lost the request. Another client learns nothing.
    const params = { request_id: id }
    await expect.poll(async () => (await api.call('getRequestContext', { params })).status).toBe(404)
    expect((await client.waits(id)).json).toEqual(answer.json)
    const stranger = new DepositClient(api)
    expectError(await stranger.waits(id), 404, 'request not found or expired', 'not_found')
  })

  test('the page sees names and marks, and no value; the check code covers them', async () => {
    const client = new DepositClient(api)
    const made = await client.ask(await client.body('dev/seen', { A: 'v4lue', B: ['w', false] }))
    const context = await contextOf(made.json.id)
    expect(context).toMatchObject({
      kind: 'deposit',
      suggested_bundle_id: 'dev/seen',
      user_code: made.json.user_code,
      deposit: {
        entries: [
          { name: 'A', is_secret: null },
          { name: 'B', is_secret: false },
        ],
        own: [],
        share: [],
        replace: [],
      },
    })
    expect(JSON.stringify(context)).not.toContain('v4lue')
  })

  test('the plan shows old and new values of what is not secret, and no other', async () => {
    const bundle = await newBundle(api, owner, {
      SECRET_S: 'old-secret',
      PUBLIC_P: { value: 'old', is_secret: false },
    })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, { SECRET_S: 'new-secret', PUBLIC_P: 'new', MADE_M: 'm' })
    const plan = await planOf(api, owner, id)
    expect(
      plan.json.plan.map(({ name, action, old_value, new_value }) => [name, action, old_value, new_value]),
    ).toEqual([
      ['SECRET_S', 'update', undefined, undefined],
      ['PUBLIC_P', 'update', 'old', 'new'],
      ['MADE_M', 'create', undefined, undefined],
    ])
    expect(plan.text).not.toMatch(/old-secret|new-secret/)
    await approve(client, id)
    expect(await bundleValues(api, owner, bundle.name)).toEqual({
      SECRET_S: 'new-secret',
      PUBLIC_P: 'new',
      MADE_M: 'm',
    })
  })

  test('a plan that the person did not see is not carried out; they get the new one', async () => {
    const bundle = await newBundle(api, owner, { STALE_A: 'one' })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, { STALE_A: 'three' })
    const { plan_id } = (await planOf(api, owner, id)).json
    const other = await client.deposit(bundle.name, { STALE_A: 'two' })
    expect((await approve(client, other)).status).toBe(200)
    const params = { request_id: id }
    const stale = await api.call('approveDeposit', { as: owner, params, body: { plan_id, release: 'code' } })
    expect([stale.status, stale.failure?.code]).toEqual([409, 'plan_changed'])
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ STALE_A: 'two' })
    const { json } = await planOf(api, owner, id)
    expect(json.plan).toMatchObject([
      { action: 'kept', choices: ['share', 'own'], changed: { at: expect.any(String) } },
    ])
    const own = await storeDeposit(api, owner, { client, requestId: id, own: ['STALE_A'] })
    expect(own.status).toBe(200)
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ STALE_A: 'three' })
  })

  test('a value that the sender did not know is kept, unless the approver decides; what they knew is stored', async () => {
    const bundle = await newBundle(api, owner, { KNOWN: '1', STALE: '1', GONE: '1' })
    const other = new DepositClient(api)
    await approve(other, await other.deposit(bundle.name, { STALE: '2', GONE: '2', FRESH: '2' }))
    const client = new DepositClient(api)
    const seen = ['KNOWN', 'STALE', 'GONE'].map((name) => ({ name, version: 1 }))
    const values = { KNOWN: '3', STALE: '3', FRESH: '3', ADDED: '3' }
    const id = await client.deposit(bundle.name, values, { detach: ['GONE'], seen })
    const changed = { by: expect.any(String), at: expect.any(String) }
    const { json } = await planOf(api, owner, id)
    expect(json.plan.map(({ name, action, changed: by }) => [name, action, by])).toEqual([
      ['KNOWN', 'update', undefined],
      ['STALE', 'kept', changed],
      ['FRESH', 'kept', changed],
      ['ADDED', 'create', undefined],
      ['GONE', 'detach', changed],
    ])
    expect((await approve(client, id)).status).toBe(200)
    expect((await client.waits(id)).json).toMatchObject({ deposit: { counts: { update: 1, kept: 2 } } })
    const stored = { KNOWN: '3', STALE: '2', FRESH: '2', ADDED: '3' }
    expect(await bundleValues(api, owner, bundle.name)).toEqual(stored)
    const body = { bundle: bundle.name, entries: [{ name: 'STALE', value: '4' }], own: ['STALE'] }
    const again = { as: owner, body: { ...body, seen: [{ name: 'STALE', version: 1 }] } }
    expect((await api.call('importVariables', again)).json.plan).toMatchObject([
      { action: 'update', changed },
    ])
    expect(await bundleValues(api, owner, bundle.name)).toEqual({ ...stored, STALE: '4' })
  })

  test('a value that another bundle has stays there; the approver may decide otherwise', async () => {
    const other = await newBundle(api, owner, { SHARED_X: 'theirs' })
    const client = new DepositClient(api)
    const mine = freshName()
    const first = await client.deposit(mine, { SHARED_X: 'mine' })
    expect((await planOf(api, owner, first)).json).toMatchObject({ changes: [], plan: [{ action: 'own' }] })
    await approve(client, first)
    expect(await bundleValues(api, owner, other.name)).toEqual({ SHARED_X: 'theirs' })
    const second = await client.deposit(freshName(), { SHARED_X: 'replaced' }, { replace: ['SHARED_X'] })
    const plan = await planOf(api, owner, second)
    expect(plan.json).toMatchObject({ plan: [{ action: 'replace' }], changes: [mine, other.name].slice(1) })
    const gentle = await planOf(api, owner, second, { replace: [] })
    expect(gentle.json).toMatchObject({ plan: [{ action: 'own' }], changes: [] })
  })

  test('values for several bundles have one plan and one approval, and one receipt says what each bundle got', async () => {
    const [first, second, third] = [freshName(), freshName(), freshName()]
    const other = await newBundle(api, owner, { SEVERAL_OLD: '1' })
    const client = new DepositClient(api)
    const also = {
      [second]: { SEVERAL_A: 'two', SEVERAL_B: ['open', false] as const },
      [other.name]: { SEVERAL_OLD: '2' },
      [third]: { SEVERAL_A: 'three' },
    }
    const id = await client.deposit(first, { SEVERAL_A: 'one' }, { also, own: ['SEVERAL_B'] })
    const { json, text } = await planOf(api, owner, id)
    expect(
      [json, ...(json.also ?? [])].map(({ bundle, bundle_id, plan }) => [bundle, bundle_id, plan]),
    ).toMatchObject([
      [first, null, [{ action: 'create', key_name: 'SEVERAL_A' }]],
      [second, null, [{ action: 'own' }, { action: 'create', new_value: 'open' }]],
      [other.name, other.id, [{ action: 'update' }]],
      [third, null, [{ action: 'own' }]],
    ])
    expect(text).not.toMatch(/two|three/)
    expect((await approve(client, id)).status).toBe(200)
    expect((await newest(12)).filter((action) => action === 'deposit.applied')).toHaveLength(4)
    expect(await bundleValues(api, owner, second)).toEqual({ SEVERAL_A: 'two', SEVERAL_B: 'open' })
    expect(await bundleValues(api, owner, other.name)).toEqual({ SEVERAL_OLD: '2' })
    expect(await bundleValues(api, owner, third)).toEqual({ SEVERAL_A: 'three' })
    const { deposit } = (await client.waits(id)).json as {
      deposit: { also: unknown; receipt: { payload: string } }
    }
    expect(deposit.also).toMatchObject([{ bundle: { name: second } }, { bundle: { name: other.name } }, {}])
    expect(JSON.parse(Buffer.from(deposit.receipt.payload, 'base64').toString())).toMatchObject({
      bundle: { name: first },
      also: [
        { bundle: { name: second }, variables: [{ name: 'SEVERAL_A' }, { name: 'SEVERAL_B' }] },
        { bundle: other, variables: [{ name: 'SEVERAL_OLD', action: 'update' }] },
        { bundle: { name: third } },
      ],
    })
  })

  test('a member stores one new secret for two environments of an application, each with its own value', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const [dev, staging] = [freshName('dev/a'), freshName('staging/a')].map((name) => `${name}/shop`)
    const client = new DepositClient(api)
    const also = { [staging ?? '']: { EQUAL_SECRET: 'same' } }
    const id = await client.deposit(dev ?? '', { EQUAL_SECRET: 'same' }, { also })
    expect((await planOf(api, owner, id)).json.also).toMatchObject([{ plan: [{ action: 'share' }] }])
    expect((await planOf(api, member, id)).json.also).toMatchObject([{ plan: [{ action: 'own' }] }])
    expect((await approve(client, id, member)).status).toBe(200)
    expect(await bundleValues(api, owner, staging ?? '')).toEqual({ EQUAL_SECRET: 'same' })
  })

  test('of several bundles the strictest rules count, and one that changed stores none of them', async () => {
    const [ruled, plain] = [await newBundle(api, owner, { RULED: '1' }), freshName()]
    const body = { approvers: 'owner' as const, assurance: 'local' as const }
    const set = { as: owner, params: { bundle_id: ruled.id }, body }
    expect((await api.call('changeBundlePolicy', set)).status).toBe(200)
    const client = new DepositClient(api)
    const also = { [ruled.name]: { RULED: '2' } }
    const id = await client.deposit(plain, { FREE: '1' }, { also })
    const member = await joinWorkspace(api, owner, 'member')
    expect((await planOf(api, member, id)).failure?.error).toContain('cannot be proposed')
    const { plan_id } = (await planOf(api, owner, id)).json
    const click = { as: owner, params: { request_id: id }, body: { plan_id, release: 'code' as const } }
    expect((await api.call('approveDeposit', click)).failure?.code).toBe('release_required')
    await api.call('changeBundlePolicy', { ...set, body: { ...body, assurance: null } })
    await approve(client, await client.deposit(ruled.name, { RULED: '3' }))
    const stale = { as: owner, params: { request_id: id }, body: { plan_id, release: 'code' as const } }
    expect((await api.call('approveDeposit', stale)).failure?.code).toBe('plan_changed')
    expect((await api.call('listBundles', { as: owner, query: { query: plain } })).json).toEqual([])
    const twice = { ...(await client.body(plain, { A: '1' }, { also: { [plain]: { B: '1' } } })) }
    expect((await client.ask(twice)).failure?.error).toContain('must not name a bundle twice')
    const moved = await client.body(plain, { A: '1' }, { also: { [freshName()]: { B: '1' } } })
    moved.deposit.also = [{ bundle: ruled.name, entries: [{ name: 'B' }] }]
    expect(damageOf(await planOf(api, owner, await client.asked(moved)))).toBe(
      'it was sealed for other names',
    )
  })

  test('deny, withdraw and expiry store nothing', async () => {
    const client = new DepositClient(api)
    const bundle = freshName()
    const denied = await client.deposit(bundle, { A_DENIED: '1' })
    await api.call('denyRequest', { as: owner, params: { request_id: denied } })
    expect((await client.waits(denied)).failure?.code).toBe('request_denied')
    expect((await newest(1))[0]).toBe('deposit.denied')
    const withdrawn = await client.deposit(bundle, { A_WITHDRAWN: '1' })
    const headers = { 'x-poll-verifier': client.verifier }
    await api.call('withdrawRequest', { params: { request_id: withdrawn }, headers })
    expect((await planOf(api, owner, withdrawn)).failure?.code).toBe('request_withdrawn')
    expect(await bundleValues(api, owner, bundle)).toEqual({})
  })

  test('a deposit that was stored cannot be withdrawn or denied any more', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { TOO_LATE: '1' })
    await approve(client, id)
    const headers = { 'x-poll-verifier': client.verifier }
    expect((await api.call('withdrawRequest', { params: { request_id: id }, headers })).status).toBe(409)
    expect((await api.call('denyRequest', { as: owner, params: { request_id: id } })).status).toBe(409)
    expect((await client.waits(id)).json).toMatchObject({ status: 'applied' })
  })

  test('of many approvals at once one stores the values', async () => {
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { RACE_A: '1', RACE_B: '2' })
    const { plan_id } = (await planOf(api, owner, id)).json
    const calls = Array.from({ length: 8 }, () =>
      api.call('approveDeposit', {
        as: owner,
        params: { request_id: id },
        body: { plan_id, release: 'code' },
      }),
    )
    const answers = await Promise.all(calls)
    const statuses = answers.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(409)])
    const secrets = answers.filter(({ status }) => status === 200).map(({ json }) => secretOf(json))
    const returns = Array.from({ length: 4 }, () => client.release(id, secrets[0] ?? ''))
    const returned = (await Promise.all(returns)).map(({ status }) => status)
    expect(returned.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    expect(Object.keys(await bundleValues(api, owner, bundle))).toEqual(['RACE_A', 'RACE_B'])
  })

  test('another client cannot use a box, and no name can be put in the place of another', async () => {
    const client = new DepositClient(api)
    const body = await client.body('dev/swapped', { HARMLESS: 'evil' })
    const swapped = { ...body, deposit: { ...body.deposit, entries: [{ name: 'DATABASE_URL' }] } }
    const elsewhere = { ...body, bundle_id: 'prod/app' }
    const replacing = { ...body, deposit: { ...body.deposit, replace: ['HARMLESS'] } }
    const stranger = new DepositClient(api)
    const taken = { ...body, client_pubkey: stranger.publicKey, ...stranger.returning() }
    for (const changed of [swapped, elsewhere, replacing, taken]) {
      const id = await new DepositClient(api).asked(changed)
      expect(damageOf(await planOf(api, owner, id))).toBe('it was sealed for other names')
    }
  })

  test.each([
    ['no deposit', { hello: 1 }],
    ['too few values', { v: 1, values: [] }],
  ])('a box with %s is refused without its content', async (_what, content) => {
    const client = new DepositClient(api)
    const body = await client.body('dev/odd', { ODD: 'odd-v4lue' })
    const { public_key } = (await api.call('getDepositKey')).json
    const deposit = { ...body.deposit, ciphertext_base64: box(content, public_key) }
    const answer = await planOf(api, owner, await client.asked({ ...body, deposit }))
    expect(answer.status).toBe(400)
    expect(damageOf(answer)).toBe('it does not hold values in the form that docs/deposits.md describes')
  })

  test('a box with a value that no variable can have is refused', async () => {
    const answer = await planOf(api, owner, await new DepositClient(api).deposit('dev/odd', { ODD: 'a\0b' }))
    expect(damageOf(answer)).toBe(
      'the value of ODD must not contain NUL: an environment variable cannot hold it',
    )
  })

  test('a box that was sealed to another key is refused', async () => {
    const client = new DepositClient(api)
    const body = await client.body('dev/odd', { ODD: '1' })
    const foreign = Buffer.from(generateKeyPair().publicKey).toString('base64')
    const deposit = { ...body.deposit, ciphertext_base64: box({ v: 1 }, foreign) }
    const answer = await planOf(api, owner, await client.asked({ ...body, deposit }))
    expect(damageOf(answer)).toBe('it was changed, or sealed to another key')
  })

  test('what is no deposit is refused at once', async () => {
    const client = new DepositClient(api)
    const body = await client.body('dev/bad', { A: '1' })
    const { poll_challenge: _, release: __, ...unproved } = body
    const { deposit: ___, ...empty } = body
    const wrong: [string, object][] = [
      ['no challenge', unproved],
      ['no values', empty],
      ['no bundle', { ...body, bundle_id: '' }],
      ['a deposit in a delivery', { ...body, kind: 'delivery' }],
      ['an unknown key', { ...body, deposit: { ...body.deposit, kid: '0'.repeat(16) } }],
      ['a name twice', { ...body, deposit: { ...body.deposit, entries: [{ name: 'A' }, { name: 'A' }] } }],
    ]
    for (const [what, changed] of wrong) {
      const { status } = await new DepositClient(api).ask(changed as Record<string, unknown>)
      expect([what, status]).toEqual([what, 400])
    }
  })

  test('values beyond 256 KiB, and names beyond 1,000, are refused', async () => {
    const client = new DepositClient(api)
    const large = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`L${i}`, 'x'.repeat(60_000)]))
    expect((await client.ask(await client.body('dev/large', large))).status).toBe(400)
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`N${i}`, '']))
    expect((await client.ask(await client.body('dev/many', many))).status).toBe(400)
    const fits = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`N${i}`, 'x'.repeat(240)]))
    expect((await client.ask(await client.body('dev/many', fits))).status).toBe(201)
  })

  test('a request for values stays small: only a deposit may be long', async () => {
    const client = new DepositClient(api)
    const template_keys = Array.from({ length: 200 }, (_, i) => `K${i}`.padEnd(200, 'X'))
    expect((await client.ask({ template_keys })).status).toBe(413)
  })

  test('a deposit is not approved as a delivery, nor a delivery as a deposit', async () => {
    const client = new DepositClient(api)
    const bundle = await newBundle(api, owner, { MIXED: '1' })
    const deposit = await client.deposit(bundle.name, { MIXED: '2' })
    const body = { bundle_id: bundle.id, include_keys: ['MIXED'] }
    const sealed = await api.call('encryptFromBundle', { as: owner, params: { request_id: deposit }, body })
    expectError(sealed, 409, 'This request stores values: approve it as a deposit', 'conflict')
    const delivery = await client.asked()
    const none = 'This request asks for values: it is no deposit'
    expectError(await planOf(api, owner, delivery), 409, none, 'conflict')
  })

  test.each(['s3cret', 'wrong'])('a member who approves the guess %s learns nothing', async (guess) => {
    const member = await joinWorkspace(api, owner, 'member')
    const bundle = await newBundle(api, owner, { [`GUESSED_${guess}`]: 's3cret' })
    const params = { bundle_id: bundle.id }
    await api.call('changeBundlePolicy', { as: owner, params, body: { changers: 'member' } })
    const client = new DepositClient(api)
    const id = await client.deposit(bundle.name, { [`GUESSED_${guess}`]: guess })
    const asked = await planOf(api, member, id)
    expect([asked.status, asked.json.proposal]).toEqual([200, undefined])
    const stored = await approve(client, id, member)
    expect(asked.text + stored.text).not.toMatch(/same|unchanged/)
    expect((await client.waits(id)).json).toMatchObject({ deposit: { counts: { update: 1, same: 0 } } })
  })

  test('a member approves what only creates; the rest is for owners', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const stranger = await api.newOwner()
    const client = new DepositClient(api)
    const bundle = await newBundle(api, owner, { OWNED: '1' })
    const id = await client.deposit(bundle.name, { OWNED: '2' })
    const outside = await api.call('planDeposit', {
      as: { ...stranger, tenantId: owner.tenantId },
      params: { request_id: id },
    })
    expect(outside.status).toBe(403)
    const { plan_id, proposal } = (await planOf(api, member, id)).json
    expect(proposal?.error).toBe('You may not change this bundle')
    const shared = await newBundle(api, member, {})
    const { json: found } = await api.call('listKeys', { as: owner, query: { q: 'OWNED' } })
    const params = { bundle_id: shared.id, key_id: found.find(({ name }) => name === 'OWNED')?.id ?? '' }
    await api.call('attachKey', { as: owner, params })
    const differing = await client.deposit(shared.name, { OWNED: '2' })
    expect((await planOf(api, member, differing)).json.proposal?.error).toBe(
      `Only an owner may change OWNED, because ${bundle.name} has the same key. If an owner accepts your change request, this bundle gets its own value`,
    )
    const storing = { as: member, params: { request_id: id }, body: { plan_id } }
    expect((await api.call('approveDeposit', storing)).status).toBe(403)
    const creating = await client.deposit(freshName(), { BY_MEMBER: '1' })
    expect((await approve(client, creating, member)).status).toBe(200)
  })

  test('the deposit key is signed by a receipt key; the one before still opens', async () => {
    const { json } = await api.call('getDepositKey')
    const { keys } = (await api.call('listReceiptKeys')).json
    const signer = keys.find(({ kid }) => kid === json.signed_by.kid)
    const proof = { publicKey: bytes(signer?.public_key ?? ''), signature: bytes(json.signed_by.signature) }
    expect(depositKeyFits(bytes(json.public_key), proof)).toBe(true)
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { ROTATED: '1' })
    const kid = await makeDepositKey(api.settings)
    expect((await api.call('getDepositKey')).json.kid).toBe(kid)
    expect((await approve(client, id)).status).toBe(200)
    const old = await client.deposit(bundle, { ROTATED: '2' })
    await makeDepositKey(api.settings)
    await makeDepositKey(api.settings)
    expect(damageOf(await planOf(api, owner, old))).toBe('its key is no longer in use')
  })

  test('events tell who approved and what was stored, in one log with the import', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { LOGGED: 'l0gged' }, { meta: { hostname: 'laptop' } })
    await approve(client, id)
    const { json, text } = await api.call('listAudit', { as: owner, query: { limit: '5' } })
    expect(json.map(({ action }) => action).toSorted()).toEqual([
      'bundle.created',
      'bundle.imported',
      'deposit.applied',
      'deposit.approved',
      'key.created',
    ])
    const approved = json.find(({ action }) => action === 'deposit.approved')
    expect(approved).toMatchObject({ data: { names: ['LOGGED'] }, origin: { hostname: 'laptop' } })
    expect(text).not.toContain('l0gged')
  })
})

describe.each(oneDatabase)('deposits that must return to the terminal, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('ten deposits that nobody approved come from one address; an approval makes room for one', async () => {
    const client = new DepositClient(api)
    const body = await client.body('dev/rate', { A: '1' })
    const ids: string[] = []
    for (let call = 0; call < 10; call++) {
      // Between them, the limit of all requests of an address is not reached.
      if (call === 5) skippedMs += 61_000
      ids.push(await client.asked(body))
    }
    skippedMs += 61_000
    const approved = await storeDeposit(api, owner, { client, requestId: ids.at(-1) ?? '' })
    expect(approved.status).toBe(200)
    expect((await client.ask(body)).status).toBe(201)
    const refused = await client.ask(body)
    expect(refused.status).toBe(429)
    const waitSeconds = Number(refused.headers.get('retry-after'))
    expect(waitSeconds).toBeGreaterThan(61)
    expect(waitSeconds).toBeLessThanOrEqual(300)
  })

  const approve = (requestId: string, choice = {}) => approveDeposit(api, owner, { requestId, ...choice })
  const state = async (request_id: string) =>
    (await api.call('getRequestContext', { params: { request_id } })).json.status
  const actions = async (limit: number) => {
    const { json } = await api.call('listAudit', { as: owner, query: { limit: String(limit) } })
    return json.map(({ action }) => action)
  }
  const reasonOfEnd = async () =>
    (await api.call('listAudit', { as: owner, query: { action: 'deposit.void' } })).json[0]?.data['reason']

  test.each(['loopback', 'code'])('nothing is stored until the approval returns by %s', async (release) => {
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { HELD: 'h' })
    const approved = await approve(id, { release })
    expect(approved.json.deposit).toBeUndefined()
    expect(await state(id)).toBe('held')
    const { json } = await api.call('listBundles', { as: owner, query: { query: bundle } })
    expect(json).toEqual([])
    expect((await client.release(id, secretOf(approved.json))).status).toBe(200)
    expect((await client.waits(id)).json).toMatchObject({
      status: 'applied',
      deposit: { bundle: { name: bundle } },
    })
  })

  test('a click alone stores nothing: a client that takes no approval back is refused', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { LURE: '1' }, { release: [] })
    expect((await planOf(api, owner, id)).json).toMatchObject({
      may_approve: false,
      why_not: { code: 'release_required' },
    })
    expect((await approve(id)).failure?.code).toBe('release_required')
    const offering = await client.deposit(freshName(), { LURE: '1' })
    expect((await approve(offering)).failure?.code).toBe('release_required')
  })

  test.each(['loopback', 'code'])(
    'the waiting client learns from the API whose approval is on its way, before it returns it by %s',
    async (release) => {
      const client = new DepositClient(api)
      const argv = ['keyferry', 'import', '.env']
      const body = { ...(await client.body(freshName(), { COMPARED: 's3cret' })), argv }
      const id = await client.asked(body)
      const waiting = client.waits(id, 'none')
      const approved = await approve(id, { release })
      const outcome = (await waiting).json
      expect(outcome).toMatchObject({ status: 'pending', needs: 'release', release_by: release })
      const { statement } = outcome as { statement: Record<'kid' | 'payload' | 'signature', string> }
      const { keys } = (await api.call('listReceiptKeys')).json
      const publicKey = bytes(keys.find(({ kid }) => kid === statement.kid)?.public_key ?? '')
      const payload = bytes(statement.payload)
      expect(receiptFits(payload, { publicKey, signature: bytes(statement.signature) })).toBe(true)
      expect(JSON.parse(payload.toString())).toEqual({
        v: 1,
        kind: 'deposit_approval',
        origin: 'keyferry.example.com',
        request_id: id,
        client_pubkey: client.publicKey,
        ciphertext_sha256: boxDigest(bytes(body.deposit.ciphertext_base64)),
        argv_sha256: commandDigest(argv),
        bundle: { name: body.bundle_id },
        workspace: { id: owner.tenantId, name: expect.any(String) },
        approvers: [{ id: owner.userId, username: expect.any(String) }],
        released_by: release,
      })
      // The same hold ends no further wait; its return does, at once.
      const next = client.waits(id, release)
      await api.untilWaiting()
      expect((await client.release(id, secretOf(approved.json))).status).toBe(200)
      expect((await next).json).toMatchObject({ status: 'applied' })
    },
  )

  test('another approval of the same request is told too', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { TOLD_TWICE: '1' })
    const first = await approve(id, { release: 'loopback' })
    const waiting = client.waits(id, 'loopback')
    await api.call('createKey', { as: owner, body: { name: 'TOLD_TWICE', value: 'other' } })
    expect((await client.release(id, secretOf(first.json))).failure?.code).toBe('plan_changed')
    await approve(id, { release: 'loopback' })
    expect((await waiting).json).toMatchObject({ needs: 'release', statement: { kid: expect.any(String) } })
  })

  test('a fresh code has a statement of its own', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { RESIGNED: '1' })
    await approve(id, { release: 'loopback' })
    await api.call('createReleaseCode', { as: owner, params: { request_id: id } })
    const outcome = (await client.waits(id, 'loopback')).json as { statement: { payload: string } }
    expect(JSON.parse(bytes(outcome.statement.payload).toString())).toMatchObject({ released_by: 'code' })
  })

  test('a deposit for a workspace by its id is unknown in every other, and no one there holds it', async () => {
    const stranger = await api.newOwner()
    const client = new DepositClient(api)
    const bundle = freshName()
    const workspace = owner.tenantId.toUpperCase()
    const id = await client.deposit(bundle, { MEANT: '1' }, { workspace })
    const params = { request_id: id }
    const body = { plan_id: '0'.repeat(64), release: 'code' }
    const unknown = { request_id: '0'.repeat(32) }
    for (const [there, nowhere] of [
      [await planOf(api, stranger, id), await planOf(api, stranger, unknown.request_id)],
      [
        await api.call('approveDeposit', { as: stranger, params, body }),
        await api.call('approveDeposit', { as: stranger, params: unknown, body }),
      ],
      [
        await api.call('denyRequest', { as: stranger, params }),
        await api.call('denyRequest', { as: stranger, params: unknown }),
      ],
    ])
      expect([there?.status, there?.text]).toEqual([404, nowhere?.text])
    expect(await state(id)).toBe('pending')
    expect((await storeDeposit(api, owner, { client, requestId: id })).status).toBe(200)
    expect(await bundleValues(api, owner, bundle)).toEqual({ MEANT: '1' })
  })

  test('a name of a workspace is a hint: a stranger can have the same', async () => {
    const stranger = await api.newOwner()
    const renaming = { as: stranger, params: { tenant_id: stranger.tenantId } }
    expect((await api.call('renameTenant', { ...renaming, body: { name: 'Acme' } })).status).toBe(200)
    const asId = await api.call('renameTenant', { ...renaming, body: { name: owner.tenantId.toUpperCase() } })
    expect([asId.status, asId.failure?.error]).toEqual([400, 'name must not look like an id'])
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { NAMED: '1' }, { workspace: 'Acme' })
    expect((await planOf(api, stranger, id)).status).toBe(200)
  })

  test('a terminal that asks its person keeps the secret, and returns it later', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { KEPT: '1' })
    const secret = secretOf((await approve(id, { release: 'loopback' })).json)
    const headers = client.proof()
    const keep = (text: string) =>
      api.call('releaseRequest', { params: { request_id: id }, headers, body: { secret: text, keep: true } })
    expect((await keep('x'.repeat(43))).failure?.code).toBe('release_wrong')
    expect((await keep(secret)).status).toBe(200)
    expect(await state(id)).toBe('held')
    skippedMs += 60_000
    expect((await client.release(id, secret)).status).toBe(200)
    const late = await client.deposit(freshName(), { KEPT: '2' })
    const lateSecret = secretOf((await approve(late, { release: 'loopback' })).json)
    skippedMs += 11_000
    const refused = await api.call('releaseRequest', {
      params: { request_id: late },
      headers,
      body: { secret: lateSecret, keep: true },
    })
    const over = 'The time to return the approval is over: ask for a fresh code'
    expectError(refused, 409, over, 'release_expired')
  })

  test('three wrong codes deny the deposit, and that is an alarm', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { GUESSED: '1' })
    await approve(id, { release: 'code' })
    for (const code of ['000 001', '000 002', '000 003']) await client.release(id, code)
    expect((await client.waits(id)).failure?.code).toBe('request_denied')
    await expect.poll(() => actions(1)).toEqual(['deposit.not_released'])
  })

  test('if the library changed after the plan, nothing is stored and the request is open again', async () => {
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { TWICE: '1' })
    const held = await approve(id, { release: 'code' })
    const made = await api.call('createKey', { as: owner, body: { name: 'TWICE', value: 'other' } })
    expect(made.status).toBe(201)
    const refused = await client.release(id, secretOf(held.json))
    expect([refused.status, refused.failure?.code]).toEqual([409, 'plan_changed'])
    expect(await state(id)).toBe('pending')
    expect(await actions(2)).toContain('deposit.void')
    expect(await reasonOfEnd()).toBe('plan_changed')
    const again = await approve(id, { release: 'code' })
    expect((await client.release(id, secretOf(again.json))).status).toBe(200)
    expect((await client.waits(id)).json).toMatchObject({ status: 'applied' })
  })

  test('for a day the client learns that its deposit is stored', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { OF_A_DAY: '1' })
    const held = await approve(id, { release: 'code' })
    expect((await client.release(id, secretOf(held.json))).status).toBe(200)
    skippedMs += 24 * 60 * 60_000 - 60_000
    expect((await client.waits(id)).json).toMatchObject({ status: 'applied' })
    skippedMs += 2 * 60_000
    expectError(await client.waits(id), 404, 'request not found or expired', 'not_found')
  })

  test('an approver who lost their rights after the plan stores nothing', async () => {
    const client = new DepositClient(api)
    const there = await joinWorkspace(api, owner, 'owner')
    const bundle = freshName()
    const id = await client.deposit(bundle, { LEFT: '1' })
    const held = await approveDeposit(api, there, { requestId: id, release: 'code' })
    await api.call('removeMember', { as: owner, params: { user_id: there.userId } })
    const lost = 'The person who approved this deposit may not any more: it needs a new approval'
    expectError(await client.release(id, secretOf(held.json)), 409, lost, 'conflict')
    expect(await reasonOfEnd()).toBe('refused')
    expect(await state(id)).toBe('pending')
    const listed = await api.call('listBundles', { as: owner, query: { query: bundle } })
    expect(listed.json).toEqual([])
  })

  test('denied while it is held, it is void', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { HELD_BACK: '1' })
    const held = await approve(id, { release: 'code' })
    await api.call('denyRequest', { as: owner, params: { request_id: id } })
    expect((await client.release(id, secretOf(held.json))).failure?.code).toBe('request_denied')
    expect((await actions(2)).toSorted()).toEqual(['deposit.denied', 'deposit.void'])
  })

  test('a fresh code returns it too, also after the approval came back too late', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName(), { FRESH: '1' })
    const held = await approve(id, { release: 'loopback' })
    skippedMs += 11_000
    expect((await client.release(id, secretOf(held.json))).failure?.code).toBe('release_expired')
    const params = { request_id: id }
    const fresh = await api.call('createReleaseCode', { as: owner, params })
    expect((await client.release(id, secretOf(fresh.json))).status).toBe(200)
  })

  test('the rules of every bundle that it changes count', async () => {
    const prod = await newBundle(api, owner, { RULED: 'prod-value' })
    const rules = { as: owner, params: { bundle_id: prod.id } }
    await api.call('changeBundlePolicy', { ...rules, body: { assurance: 'local', agents: 'deny' } })
    const client = new DepositClient(api)
    const lure = { replace: ['RULED'], release: ['code'] }
    const id = await client.deposit(freshName(), { RULED: 'evil' }, lure)
    expect((await planOf(api, owner, id)).json).toMatchObject({
      assurance: 'local',
      may_approve: false,
      changes: [prod.name],
    })
    expect((await approve(id, { release: 'code' })).failure?.code).toBe('release_required')
    const agent = { replace: ['RULED'], meta: { agent: 'claude-code' } }
    const asked = await client.deposit(freshName(), { RULED: 'evil' }, agent)
    expect((await approve(asked, { release: 'loopback' })).failure?.code).toBe('agents_denied')
  })

  test('the rules of a bundle whose key would be shared count', async () => {
    const prod = await newBundle(api, owner, { TAKEN: 'prod-value' })
    const rules = { as: owner, params: { bundle_id: prod.id } }
    await api.call('changeBundlePolicy', { ...rules, body: { assurance: 'local', agents: 'deny' } })
    const client = new DepositClient(api)
    const bundle = freshName()
    const id = await client.deposit(bundle, { TAKEN: '' }, { share: ['TAKEN'], release: ['code'] })
    expect((await planOf(api, owner, id)).json).toMatchObject({
      assurance: 'local',
      may_approve: false,
      changes: [],
      plan: [{ action: 'share' }],
    })
    expect((await approve(id, { release: 'code' })).failure?.code).toBe('release_required')
    expect((await approve(id, { own: ['TAKEN'], share: [], release: 'code' })).status).toBe(200)
    const agent = { share: ['TAKEN'], meta: { agent: 'claude-code' } }
    const asked = await client.deposit(bundle, { TAKEN: '' }, agent)
    expect((await approve(asked, { release: 'loopback' })).failure?.code).toBe('agents_denied')
  })

  test('a bundle of production is named', async () => {
    const client = new DepositClient(api)
    const id = await client.deposit(freshName('prod'), { P: '1' })
    const { json } = await planOf(api, owner, id)
    expect(json.production).toEqual([json.bundle])
  })

  test.each([
    ['prod', 'no'],
    ['dev', 'yes'],
  ])('a bundle named %s of which an owner says %s', async (name, production) => {
    const bundle = freshName(name)
    const { json } = await api.call('createBundle', { as: owner, body: { name: bundle } })
    await api.call('changeBundlePolicy', { as: owner, params: { bundle_id: json.id }, body: { production } })
    const id = await new DepositClient(api).deposit(bundle, { P: '1' })
    expect((await planOf(api, owner, id)).json.production).toEqual(production === 'yes' ? [bundle] : [])
  })
})
