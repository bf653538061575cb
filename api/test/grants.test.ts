import { LIMITS, RATES, TIMES } from '@keyferry/contract'
import {
  createDeviceSeed,
  type DeviceRequest,
  signDeviceForget,
  signDeviceRequest,
  signDeviceWatch,
} from '@keyferry/crypto/device-key'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { forgetInAudit } from '../src/audit-maintenance.ts'
import { expectError, type Identity, layerHeaders, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const USE = { redaction: 'auto', flags: ['pull', '--output=.env'] }
const COMMAND = { argv: ['npm', 'run', 'dev'], cwd: '/home/sam/shop' }
const NO_REPOSITORY = 'this approval cannot be remembered for a repository'
const redis = await testRedis()
afterAll(() => redis?.stop())

type Asked = {
  seed: Uint8Array
  argv?: string[]
  cwd?: string
  argv_masked?: string
  template_keys?: string[]
  agent?: string
  reason?: string
  /** Null: as an older client signs, without flags. */
  use?: DeviceRequest['use'] | null
  /** Where the terminal calls from; a new address unless given. */
  address?: string
}

const at = (cwd: string, repository?: string) => ({ cwd, use: { ...USE, repository } })
const places = oneDatabase.map((kind) => [kind, kind === 'postgres' && redis ? redis.url : null] as const)

describe.each(places)('remembered approvals on %s and %s', (kind, redisUrl) => {
  let api: TestApi
  let owner: Identity
  let offsetMs = 0
  let stoppedMs: number | null = null
  const nowMs = () => stoppedMs ?? Date.now() + offsetMs
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], redisUrl, now: () => new Date(nowMs()) })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  let bundles = 0
  const bundleOf = async () => {
    bundles += 1
    const made = await newBundle(api, owner, { [`A_${bundles}`]: 'first', [`B_${bundles}`]: 'b' })
    return { ...made, names: [`A_${bundles}`, `B_${bundles}`] }
  }
  type Bundle = Awaited<ReturnType<typeof bundleOf>>

  /** A signed request of a terminal. */
  const ask = async (bundle: Bundle, { seed, agent, reason, use = USE, address, ...changes }: Asked) => {
    const client = new ReturningClient(api)
    const { argv = COMMAND.argv, cwd = COMMAND.cwd, argv_masked, template_keys = [] } = changes
    const signed: DeviceRequest = {
      clientPublicKey: client.keyPair.publicKey,
      bundle: bundle.name,
      workspace: undefined,
      templateKeys: template_keys,
      argv,
      argvMasked: argv_masked,
      cwd,
      agent,
      reason,
      use: use ?? undefined,
    }
    const body = {
      bundle_id: bundle.name,
      argv,
      cwd,
      template_keys,
      ...(argv_masked === undefined ? {} : { argv_masked }),
      meta: { ...(agent === undefined ? {} : { agent }), ...(reason === undefined ? {} : { reason }) },
      ...(use === null ? {} : { use }),
      device: signDeviceRequest(seed, signed, new Date(nowMs()).toISOString()),
    }
    const from = { 'x-forwarded-for': address ?? client.address }
    const answer = await client.ask({ ...client.returning(), ...body }, from)
    return { client, body, json: answer.json, id: answer.json.id, answer }
  }
  const approve = (id: string, bundle: Bundle, body: Record<string, unknown> = {}, as = owner) =>
    approveWith(api, as, {
      requestId: id,
      bundle_id: bundle.id,
      include_keys: bundle.names,
      release: 'loopback',
      remember_hours: 8,
      ...body,
    })
  /** A terminal whose approval is remembered. */
  const remembered = async (bundle: Bundle, changes: Partial<Asked> = {}, as = owner) => {
    const asked = { seed: createDeviceSeed(), ...changes }
    const { client, id } = await ask(bundle, asked)
    const { json } = await approve(id, bundle, {}, as)
    await client.release(id, secretOf(json))
    await expect.poll(async () => (await grantsOf(bundle, as)).length).toBe(1)
    return asked
  }
  const grantsOf = async (bundle: Bundle, as = owner) =>
    (await api.call('listGrants', { as })).json.filter((grant) => grant.bundle.id === bundle.id)
  test('an approval for a repository is valid in its other working trees, in the same folder of them', async () => {
    const bundle = await bundleOf()
    const seed = createDeviceSeed()
    const first = await ask(bundle, { seed, ...at('/home/sam/trees/one/web', '/home/sam/shop/web') })
    const params = { request_id: first.id }
    const { json: context } = await api.call('getRequestContext', { params })
    expect(context.repository).toBe('/home/sam/shop/web')
    const { json: offer } = await api.call('getRequestBundle', {
      as: owner,
      params: { ...params, bundle_id: bundle.id },
    })
    expect(offer.remember_repository).toBe(true)
    const { json } = await approve(first.id, bundle, { remember_for: 'repository' })
    await first.client.release(first.id, secretOf(json))
    await expect
      .poll(async () => await grantsOf(bundle))
      .toMatchObject([{ repository: '/home/sam/shop/web' }])
    expect(await again(bundle, { seed, ...at('/home/sam/trees/two/web', '/home/sam/shop/web') })).toBe(
      'ready',
    )
    expect(await again(bundle, { seed, ...at('/home/sam/trees/two', '/home/sam/shop') })).toBe('other_folder')
    expect(await again(bundle, { seed, ...at('/home/sam/trees/one/web') })).toBe('other_folder')
  })

  test('an approval is valid in one folder unless the person says otherwise; never for production', async () => {
    const bundle = await bundleOf()
    const shop = '/home/sam/shop'
    const asked = await remembered(bundle, at('/home/sam/one', shop))
    expect((await grantsOf(bundle))[0]).not.toHaveProperty('repository')
    expect(await again(bundle, { ...asked, ...at('/home/sam/two', shop) })).toBe('other_folder')
    expect(await again(bundle, { ...asked, cwd: '/home/sam/one', use: USE })).toBe('ready')
    const plain = await ask(bundle, { seed: createDeviceSeed() })
    expectError(await approve(plain.id, bundle, { remember_for: 'repository' }), 400, NO_REPOSITORY)
    const production = { as: owner, params: { bundle_id: bundle.id } }
    await api.call('changeBundlePolicy', { ...production, body: { production: 'yes', remember_hours: 8 } })
    const { id } = await ask(bundle, { seed: createDeviceSeed(), ...at('/home/sam/one', shop) })
    expectError(await approve(id, bundle, { remember_for: 'repository' }), 400, NO_REPOSITORY)
    const offer = { as: owner, params: { request_id: id, bundle_id: bundle.id } }
    const { json } = await api.call('getRequestBundle', offer)
    expect([json.remember_hours, json.remember_repository]).toEqual([8, undefined])
  })

  const again = async (bundle: Bundle, asked: Asked) => {
    const { remembered: used, asks_again } = (await ask(bundle, asked)).json
    return used ? 'ready' : (asks_again ?? 'asks')
  }
  const policy = (bundle: Bundle, body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })

  test('an agent is remembered only where a rule of an owner allows it, and not against another place', async () => {
    const bundle = await bundleOf()
    const asked = { seed: createDeviceSeed(), agent: 'codex' }
    const { id } = await ask(bundle, asked)
    const message = 'this approval can be remembered for 0 hours at most'
    expectError(await approve(id, bundle), 400, message, 'invalid')
    await policy(bundle, { agents: 'remember' })
    const used = await remembered(bundle, { agent: 'codex' })
    expect(await again(bundle, used)).toBe('ready')
    await api.call('changeTenantPolicy', { as: owner, body: { agents: 'ask' } })
    expectError(await approve((await ask(bundle, asked)).id, bundle), 400, message, 'invalid')
    await api.call('changeTenantPolicy', { as: owner, body: { agents: null } })
  })

  test('the same command is ready at once, with the current values, its record and its count', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const keys = (await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })).json
    const params = { key_id: keys[0]?.id ?? '' }
    await api.call('updateKey', { as: owner, params, body: { value: 'second' } })
    const { client, id, json } = await ask(bundle, asked)
    expect(json.remembered).toMatchObject({ uses_left: LIMITS.grantUses - 1 })
    expect(client.opened(await client.waits(id))).toEqual({
      [bundle.names[0] ?? '']: 'second',
      [bundle.names[1] ?? '']: 'b',
    })
    const [delivery] = (await api.call('listDeliveries', { as: owner })).json
    expect(delivery).toMatchObject({ kind: 'remembered', approver: { id: owner.userId } })
    const query = { action: 'delivery.remembered' }
    const [used] = (await api.call('listAudit', { as: owner, query })).json
    expect(used).toMatchObject({
      actor: { kind: 'client' },
      data: { grant: json.remembered?.grant_id, delivery: delivery?.id },
    })
    expect(await grantsOf(bundle)).toMatchObject([{ ...COMMAND, uses: 1, keys: bundle.names }])
  })

  test('of two uses in one millisecond, the list names what one of them ran', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    stoppedMs = nowMs()
    for (let use = 0; use < 2; use += 1) expect(await again(bundle, asked)).toBe('ready')
    stoppedMs = null
    expect(await grantsOf(bundle)).toMatchObject([{ ...COMMAND, uses: 2 }])
  })

  test('restarts do not count against the request limit of the address', async () => {
    const bundle = await bundleOf()
    const asked = { ...(await remembered(bundle)), address: new ReturningClient(api).address }
    for (let run = 0; run < RATES.createRequest.calls + 2; run += 1)
      expect(await again(bundle, asked)).toBe('ready')
    const from = { 'x-forwarded-for': asked.address }
    const plain = async () => (await new ReturningClient(api).ask({}, from)).status
    await expect.poll(plain).toBe(201)
    const answers = await Promise.all(Array.from({ length: RATES.createRequest.calls }, plain))
    expect(answers).toContain(429)
  })

  test.each<[string, Partial<Asked>, string | undefined, string | undefined]>([
    ['another program', { argv: ['yarn', 'run', 'dev'] }, 'other_command', 'the program differs'],
    ['another command', { argv: ['npm', 'run', 'test'] }, 'other_command', 'argument 2 differs'],
    ['one word more', { argv: ['npm', 'run', 'dev', '-v'] }, 'other_command', 'argument 3 is new'],
    ['one word less', { argv: ['npm', 'run'] }, 'other_command', 'argument 2 is missing'],
    [
      'other masked arguments',
      { argv_masked: 'x'.repeat(43) },
      'other_command',
      'an argument that is not shown differs',
    ],
    [
      'less redaction',
      { use: { ...USE, redaction: 'never' } },
      'other_command',
      'less of the output is hidden',
    ],
    [
      'another output file',
      { use: { ...USE, flags: ['pull', '--output=/tmp/x'] } },
      'other_command',
      '--output differs',
    ],
    ['another verb', { use: { ...USE, flags: ['run', '--output=.env'] } }, 'other_command', 'run is new'],
    [
      'another flag',
      { use: { ...USE, flags: [...USE.flags, '--for-agent=x'] } },
      'other_command',
      '--for-agent is new',
    ],
    ['no flags', { use: { ...USE, flags: ['pull'] } }, 'other_command', '--output is missing'],
    ['a client that signs no flags', { use: null }, 'other_command', 'another version of keyferry asks'],
    ['another folder', { cwd: '/tmp' }, 'other_folder', 'the folder differs'],
    ['an agent', { agent: 'codex' }, 'other_agent', 'codex asks, a person was approved'],
    ['a name', { template_keys: ['A_1'] }, 'other_keys', 'it asks for some of the variables'],
    ['another terminal', { seed: createDeviceSeed() }, undefined, undefined],
  ])('%s asks again and says why', async (_, changes, asks_again, differs) => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const { json } = await ask(bundle, { ...asked, ...changes })
    expect([json.remembered, json.asks_again, json.differs]).toEqual([undefined, asks_again, differs])
    expect(await again(bundle, asked)).toBe('ready')
  })

  test.each<[string[], string[], string]>([
    [['A'], [], 'it asks for all variables'],
    [['A'], ['A', 'B', 'C', 'D', 'E'], 'it also asks for B, C, D and 1 more'],
    [['A', 'B'], ['A'], 'it asks for fewer variables'],
    [['A'], ['B'], 'it also asks for B'],
  ])('approved for %j, a request for %j says so', async (approved, asks, said) => {
    const bundle = await bundleOf()
    const named = (text: string) =>
      text.replace(/\b[AB]\b/g, (letter) => bundle.names['AB'.indexOf(letter)] ?? '')
    const asked = await remembered(bundle, { template_keys: approved.map(named) })
    const { json } = await ask(bundle, { ...asked, template_keys: asks.map(named) })
    expect([json.asks_again, json.differs]).toEqual(['other_keys', named(said)])
  })

  test('the reason informs: another one, or none, asks nobody', async () => {
    const bundle = await bundleOf()
    await policy(bundle, { agents: 'remember' })
    const asked = await remembered(bundle, { agent: 'codex', reason: 'start the server' })
    expect(await again(bundle, { ...asked, reason: 'start it once more' })).toBe('ready')
    const { reason: _, ...unexplained } = { reason: '', ...asked }
    expect(await again(bundle, unexplained)).toBe('ready')
  })

  test('more redaction is covered', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    expect(await again(bundle, { ...asked, use: { ...USE, redaction: 'always' } })).toBe('ready')
  })

  test('a client that signs no flags repeats its own approval, which covers no flags', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle, { use: null })
    expect(await again(bundle, asked)).toBe('ready')
    expect(await again(bundle, { ...asked, use: USE })).toBe('other_command')
  })

  test('flags that were not signed are refused', async () => {
    const bundle = await bundleOf()
    const { body, client } = await ask(bundle, { seed: createDeviceSeed(), use: null })
    const answer = await client.ask({ ...client.returning(), ...body, use: USE })
    expectError(answer, 400, 'device.signature does not fit the request', 'invalid')
  })

  test.each<[Record<string, unknown>, Partial<Asked>, string]>([
    [{ approvals_needed: 2 }, {}, 'policy_changed'],
    [{ approvers: 'owner' }, {}, 'role_changed'],
    [{ approvers: 'named', people: [] }, {}, 'policy_changed'],
    [{ remember_hours: 7 }, {}, 'policy_changed'],
    [{ agents: 'ask' }, { agent: 'codex' }, 'policy_changed'],
    [{ agents: 'deny' }, { agent: 'codex' }, 'policy_changed'],
  ])(
    'a value that comes under a stricter rule of another bundle asks a person again: %j',
    async (rule, by, why) => {
      const member = await joinWorkspace(api, owner, 'member')
      const bundle = await bundleOf()
      await policy(bundle, { agents: 'remember' })
      const asked = await remembered(bundle, by, member)
      const other = await bundleOf()
      const people = 'people' in rule ? { people: [owner.userId] } : {}
      expect((await policy(other, { ...rule, ...people })).status).toBe(200)
      const keys = (await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })).json
      expect(await again(bundle, asked)).toBe('ready')
      const params = { bundle_id: other.id, key_id: keys[0]?.id ?? '' }
      await api.call('attachKey', { as: owner, params, body: { as: 'SHARED' } })
      expect(await again(bundle, asked)).toBe(why)
      await api.call('detachKey', { as: owner, params })
      expect(await again(bundle, asked)).toBe('ready')
    },
  )

  test('another bundle asks, and nothing says that something is remembered', async () => {
    const [bundle, other] = [await bundleOf(), await bundleOf()]
    expect(await again(other, await remembered(bundle))).toBe('asks')
  })

  test('a copy of a signed request is refused, and so is a changed one', async () => {
    const bundle = await bundleOf()
    const { body, client } = await ask(bundle, { seed: createDeviceSeed() })
    expectError(await client.ask({ ...client.returning(), ...body }), 400, 'device.nonce was used before')
    const changed = { ...body, argv: ['printenv'] }
    const answer = await client.ask({ ...client.returning(), ...changed })
    expectError(answer, 400, 'device.signature does not fit the request', 'invalid')
  })

  test('a clock that is more than five minutes off is refused', async () => {
    const time = new Date(nowMs() - 301_000).toISOString()
    const device = signDeviceForget(createDeviceSeed(), time)
    const answer = await api.call('forgetDevice', { body: { device } })
    expectError(answer, 400, 'device.time is more than 5 minutes off: set the clock of this computer')
  })

  test('it expires after its hours', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    offsetMs = 8 * 3_600_000
    expect(await again(bundle, asked)).toBe('expired')
    expect(await grantsOf(bundle)).toEqual([])
    const keptMs = TIMES.knownTerminalSeconds * 1_000
    offsetMs = keptMs + 7 * 3_600_000
    await api.sweep()
    expect(await again(bundle, asked)).toBe('expired')
    // Then its terminal is no longer known by it, and it is forgotten.
    offsetMs = keptMs + 9 * 3_600_000
    await api.sweep()
    expect(await again(bundle, asked)).toBe('asks')
    offsetMs = 0
  })

  test('after 50 uses it is used up', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const answers = await Promise.all(
      Array.from({ length: LIMITS.grantUses + 5 }, () => again(bundle, asked)),
    )
    expect(answers.filter((answer) => answer === 'ready')).toHaveLength(LIMITS.grantUses)
    expect(await again(bundle, asked)).toBe('used_up')
  })

  test('no use that follows a revocation succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const bundle = await bundleOf()
      const asked = await remembered(bundle)
      const params = { grant_id: (await grantsOf(bundle))[0]?.id ?? '' }
      const revoke = api.call('revokeGrant', { as: owner, params })
      const uses = await Promise.all(Array.from({ length: 6 }, () => again(bundle, asked)))
      expect((await revoke).status).toBe(200)
      for (const use of uses) expect(['ready', 'revoked']).toContain(use)
      expect(await again(bundle, asked)).toBe('revoked')
      expect((await api.call('revokeGrant', { as: owner, params })).status).toBe(404)
    }
  })

  test('any name that is new asks again where no names were asked for', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const key = await api.call('createKey', { as: owner, body: { name: `NEW_${bundles}`, value: 'x' } })
    const params = { bundle_id: bundle.id, key_id: key.json.id }
    await api.call('attachKey', { as: owner, params })
    expect(await again(bundle, asked)).toBe('bundle_changed')
  })

  test('an optional key that is new does not matter where names were asked for; a required one does', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle, { template_keys: bundle.names.slice(0, 1) })
    const key = await api.call('createKey', { as: owner, body: { name: `MORE_${bundles}`, value: 'x' } })
    const params = { bundle_id: bundle.id, key_id: key.json.id }
    await api.call('attachKey', { as: owner, params })
    expect(await again(bundle, asked)).toBe('ready')
    await api.call('changeAttachment', { as: owner, params, body: { required: true } })
    expect(await again(bundle, asked)).toBe('bundle_changed')
  })

  test.each<[string, (bundle: Bundle, person: Identity & { idpUserId: string }) => Promise<unknown>]>([
    [
      'person_removed',
      (_, person) => api.call('removeMember', { as: owner, params: { user_id: person.userId } }),
    ],
    [
      'role_changed',
      (_, person) =>
        api.call('changeMemberRole', {
          as: owner,
          params: { user_id: person.userId },
          body: { role: 'member' },
        }),
    ],
    ['policy_changed', (bundle) => policy(bundle, { remember_hours: 12 })],
    ['policy_changed', () => api.call('changeTenantPolicy', { as: owner, body: { agents: 'ask' } })],
    ['signed_out', (_, person) => api.call('revokeOwnGrants', { as: person })],
    [
      'signed_out',
      (_, { idpUserId }) => {
        const path = `/api/v1/users/${idpUserId}/signed-out`
        const body = { reason: 'all_sessions' }
        const headers = layerHeaders('POST', path, body)
        return api.call('recordSignOut', { params: { idp_user_id: idpUserId }, body, headers })
      },
    ],
  ])('%s ends it, with an event', async (why, end) => {
    const bundle = await bundleOf()
    const person = await joinWorkspace(api, owner, 'owner')
    const asked = await remembered(bundle, {}, person)
    await end(bundle, person)
    expect(await again(bundle, asked)).toBe(why)
    const events = (await api.call('listAudit', { as: owner, query: { action: 'grant.ended' } })).json
    expect(events.map(({ data }) => data['reason'])).toContain(why)
    expect(await grantsOf(bundle)).toEqual([])
  })

  test.each<[string, (bundle: Bundle) => Record<string, unknown>]>([
    ['an owner says so', () => ({})],
    ['its name says so', ({ name }) => ({ name: `prod/${name}` })],
    ['a tag says so', () => ({ tags: 'eu,prod' })],
  ])('a bundle that becomes one for production asks a person again: %s', async (_, change) => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    expect(await again(bundle, asked)).toBe('ready')
    const body = change(bundle)
    if (Object.keys(body).length === 0) await policy(bundle, { production: 'yes' })
    else await api.call('updateBundle', { as: owner, params: { bundle_id: bundle.id }, body })
    const name = typeof body['name'] === 'string' ? body['name'] : bundle.name
    expect(await again({ ...bundle, name }, asked)).toBe('policy_changed')
  })

  test('the mark of production ends it for good, also where hours are allowed for production', async () => {
    const bundle = await bundleOf()
    await policy(bundle, { remember_hours: 8 })
    const asked = await remembered(bundle)
    await policy(bundle, { production: 'yes' })
    expect(await grantsOf(bundle)).toEqual([])
    await policy(bundle, { production: 'by_name' })
    expect(await again(bundle, asked)).toBe('policy_changed')
  })

  test('one for a repository asks again once a tag makes the bundle one for production', async () => {
    const bundle = await bundleOf()
    await policy(bundle, { remember_hours: 8 })
    const seed = createDeviceSeed()
    const shop = '/home/sam/shop'
    const { client, id } = await ask(bundle, { seed, ...at('/home/sam/one', shop) })
    const { json } = await approve(id, bundle, { remember_for: 'repository' })
    await client.release(id, secretOf(json))
    const use = () => again(bundle, { seed, ...at('/home/sam/two', shop) })
    await expect.poll(use).toBe('ready')
    const params = { bundle_id: bundle.id }
    await api.call('updateBundle', { as: owner, params, body: { tags: 'prod' } })
    expect(await use()).toBe('policy_changed')
  })

  test('rules of a folder end those of its bundles, in any case, and none of a longer name', async () => {
    const folders = ['Live/', 'live/eu/', 'lively/', 'live-eu/', 'old/live/']
    const renamed = async (folder: string) => {
      const bundle = await bundleOf()
      const name = `${folder}${bundle.id}`
      await api.call('updateBundle', { as: owner, params: { bundle_id: bundle.id }, body: { name } })
      return { ...bundle, name }
    }
    const kept: { bundle: Bundle; asked: Asked }[] = []
    for (const folder of folders) {
      const bundle = await renamed(folder)
      kept.push({ bundle, asked: await remembered(bundle) })
    }
    await api.call('changeTenantPolicy', { as: owner, body: { folder: 'live/', agents: 'ask' } })
    const answers = []
    for (const { bundle, asked } of kept) answers.push(await again(bundle, asked))
    expect(answers).toEqual(['policy_changed', 'policy_changed', 'ready', 'ready', 'ready'])
  })

  test('a limit ends it, and so do the end of a group and a new name that its person does not reach', async () => {
    const bundle = await bundleOf()
    const person = await joinWorkspace(api, owner, 'member')
    const limit = (limited_to: string[]) =>
      api.call('changeMemberLimit', { as: owner, params: { user_id: person.userId }, body: { limited_to } })
    await limit(['test/'])
    const asked = await remembered(bundle, {}, person)
    expect(await again(bundle, asked)).toBe('ready')
    const renamed = { ...bundle, name: `other/${bundle.id}` }
    const rename = async (name: string) =>
      api.call('updateBundle', { as: owner, params: { bundle_id: bundle.id }, body: { name } })
    await rename(renamed.name)
    expect(await again(renamed, { ...asked })).toBe('person_removed')
    await rename(bundle.name)
    expect(await again(bundle, asked)).toBe('person_removed')
    const anew = await remembered(bundle, {}, person)
    await limit(['test/', 'more/'])
    expect(await again(bundle, anew)).toBe('role_changed')
    const group = { name: `g ${bundle.id}`, people: [person.userId] }
    const params = { group_id: (await api.call('createGroup', { as: owner, body: group })).json.id }
    await policy(bundle, { approvers: 'named', people: [params.group_id] })
    const named = await remembered(bundle, {}, person)
    expect(await again(bundle, named)).toBe('ready')
    await api.call('changeGroup', { as: owner, params, body: { people: [] } })
    expect(await again(bundle, named)).toBe('role_changed')
  })

  test('the terminal can drop it', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const device = signDeviceForget(asked.seed, new Date(nowMs()).toISOString())
    expect((await api.call('forgetDevice', { body: { device } })).json).toEqual({ ended: 1 })
    expect(await again(bundle, asked)).toBe('forgotten')
  })

  test('a person who is forgotten leaves no address of their terminal in any entry', async () => {
    const bundle = await bundleOf()
    const person = await joinWorkspace(api, owner, 'owner')
    const asked = await remembered(bundle, {}, person)
    expect(await again(bundle, asked)).toBe('ready')
    const device = signDeviceForget(asked.seed, new Date(nowMs()).toISOString())
    expect((await api.call('forgetDevice', { body: { device } })).json).toEqual({ ended: 1 })
    const entries = async () => {
      const { json } = await api.call('listAudit', { as: owner, query: { limit: '200' } })
      const ofBundle = json.filter(
        ({ target, actor }) => target.id === bundle.id && actor.id !== owner.userId,
      )
      return ofBundle.filter(({ action }) => !action.startsWith('bundle.'))
    }
    await expect.poll(async () => (await entries()).every(({ sealed }) => sealed)).toBe(true)
    const actions = new Set(
      (await entries()).flatMap(({ action, origin }) => (origin === null ? [] : [action])),
    )
    for (const action of ['delivery.released', 'delivery.remembered', 'grant.ended'] as const)
      expect(actions).toContain(action)
    await forgetInAudit(api.settings, person.userId)
    expect((await entries()).filter(({ origin }) => origin !== null)).toEqual([])
  })

  test('a terminal learns of changes to what it was given, as long as its approval is valid', async () => {
    const bundle = await bundleOf()
    const { seed } = await remembered(bundle)
    const [delivery] = (await api.call('listDeliveries', { as: owner })).json
    const deliveryId = delivery?.id ?? ''
    const signed = (signer: Uint8Array, id = deliveryId) =>
      signDeviceWatch(signer, id, new Date(nowMs()).toISOString())
    const wait = (device: ReturnType<typeof signed>) =>
      api.call('waitForRememberedChange', { body: { delivery_id: deliveryId, device } })
    expectError(await wait(signed(createDeviceSeed())), 404, 'Delivery not found')
    expectError(await wait(signed(seed, 'another')), 400, 'device.signature does not fit the request')
    const used = signed(seed)
    const waiting = wait(used)
    const keys = (await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })).json
    const params = { key_id: keys[0]?.id ?? '' }
    await api.call('updateKey', { as: owner, params, body: { value: 'second' } })
    expect((await waiting).json).toEqual({ delivery_id: deliveryId, changed: true })
    expectError(await wait(used), 400, 'device.nonce was used before')
    await api.call('forgetDevice', {
      body: { device: signDeviceForget(seed, new Date(nowMs()).toISOString()) },
    })
    expectError(await wait(signed(seed)), 404, 'Delivery not found')
  })

  test('a member lists and revokes their own; an owner all', async () => {
    const bundle = await bundleOf()
    const member = await joinWorkspace(api, owner, 'member')
    await remembered(bundle)
    expect(await grantsOf(bundle, member)).toEqual([])
    const params = { grant_id: (await grantsOf(bundle))[0]?.id ?? '' }
    expectError(await api.call('revokeGrant', { as: member, params }), 404, 'Remembered approval not found')
    const own = await bundleOf()
    await remembered(own, {}, member)
    expect(await grantsOf(own)).toHaveLength(1)
    const id = (await grantsOf(own, member))[0]?.id ?? ''
    expect((await api.call('revokeGrant', { as: member, params: { grant_id: id } })).status).toBe(200)
  })

  test('an owner of another workspace cannot revoke it, and it still works', async () => {
    const bundle = await bundleOf()
    const asked = await remembered(bundle)
    const params = { grant_id: (await grantsOf(bundle))[0]?.id ?? '' }
    const stranger = await api.newOwner()
    expectError(await api.call('revokeGrant', { as: stranger, params }), 404, 'Remembered approval not found')
    expect(await again(bundle, asked)).toBe('ready')
  })

  test('only what returned over loopback is remembered, and only for as long as the rules allow', async () => {
    const bundle = await bundleOf()
    const seed = createDeviceSeed()
    const { id } = await ask(bundle, { seed })
    const byCode = await approve(id, bundle, { release: 'code' })
    expectError(byCode, 400, 'only an approval that returns over loopback can be remembered', 'invalid')
    expect(byCode.failure?.details).toMatchObject({ field: 'remember_hours' })
    expect((await approve(id, bundle, { remember_hours: 9 })).failure?.details).toEqual({
      field: 'remember_hours',
      most: 8,
    })
    const unsigned = await new ReturningClient(api).request()
    expect((await approve(unsigned, bundle)).failure?.details).toMatchObject({ most: 0 })
    const { json } = await approve(id, bundle)
    expect(json.release?.by).toBe('loopback')
    expect(await grantsOf(bundle)).toEqual([])
    const fresh = await api.call('createReleaseCode', { as: owner, params: { request_id: id } })
    expect(fresh.status).toBe(200)
    expect(await again(bundle, { seed })).toBe('asks')
  })

  test('one that was given on a clock that was days ahead has ended', async () => {
    const bundle = await bundleOf()
    offsetMs += 3 * 24 * 60 * 60_000
    const asked = await remembered(bundle)
    offsetMs -= 3 * 24 * 60 * 60_000
    expect(await again(bundle, asked)).toBe('expired')
  })
})
