import { join } from 'node:path'
import { TIMES } from '@keyferry/contract'
import { createDeviceSeed } from '@keyferry/crypto/device-key'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { findForeignRows } from '../src/main.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { Faults, faulty } from './faulty-requests.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'
import { type Asked, askSigned, newTerminal, USE } from './signing-terminal.ts'

const NO_TASK = 'this approval cannot start a task'
const COMMANDS = [
  ['npm', 'test'],
  ['npm', 'run', 'build'],
  ['sh', '-c', 'env'],
  ['git', 'push'],
]

type Bundle = { id: string; name: string; names: [string, string] }

describe.each(oneDatabase)('tasks on %s', (kind) => {
  let api: TestApi
  const faults = new Faults()
  let owner: Identity
  let bundle: Bundle
  let offsetMs = 0
  let bundles = 0
  const nowMs = () => Date.now() + offsetMs
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      now: () => new Date(nowMs()),
      aroundRequests: faulty(faults),
    })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    offsetMs = 0
    bundle = await bundleOf()
  })

  const bundleOf = async (set: object = { agents: 'remember', tasks: 'allow' }) => {
    bundles += 1
    const names: [string, string] = [`A_${bundles}`, `B_${bundles}`]
    const made = await newBundle(api, owner, { [names[0]]: 'first', [names[1]]: 'b' })
    const all = { ...made, names }
    await rules(set, all)
    return all
  }
  const rules = async (body: object, of = bundle) => {
    const params = { bundle_id: of.id }
    expect((await api.call('changeBundlePolicy', { as: owner, params, body })).status).toBe(200)
  }
  const ask = (asked: Asked, of = bundle) => askSigned(api, asked, { bundle: of.name, nowMs: nowMs() })
  const approve = (requestId: string, body: object = {}, as = owner, of = bundle) =>
    approveWith(api, as, {
      requestId,
      bundle_id: of.id,
      include_keys: of.names,
      remember_for: 'task',
      release: 'loopback',
      ...body,
    })
  const offer = async (requestId: string, as = owner, of = bundle) => {
    const params = { request_id: requestId, bundle_id: of.id }
    return (await api.call('getRequestBundle', { as, params })).json.task
  }
  type Request = Awaited<ReturnType<typeof ask>>
  const released = async ({ client, id }: Request, body: object = {}, as = owner, of = bundle) => {
    const { json } = await approve(id, body, as, of)
    expect((await client.release(id, secretOf(json))).status).toBe(200)
  }
  /** A terminal whose first command a person approved as a task. */
  const begun = async (changes: Partial<Asked> = {}, body: object = {}, as = owner) => {
    const asked = newTerminal(api, changes)
    await released(await ask(asked), body, as)
    return asked
  }
  const again = async (asked: Asked, of = bundle) => {
    const { json } = await ask(asked, of)
    return json.remembered ? 'starts' : (json.asks_again ?? 'asks')
  }
  const tag = (tags: string) =>
    api.call('updateBundle', { as: owner, params: { bundle_id: bundle.id }, body: { tags } })
  const setValue = async (name: string, value: string) => {
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id: bundle.id } })
    const key = json.find((each) => each.name === name)
    const params = { key_id: key?.id ?? '' }
    expect((await api.call('updateKey', { as: owner, params, body: { value } })).status).toBe(200)
  }

  test('one yes: any command starts, each with a delivery of its own, and nothing is asked', async () => {
    const asked = newTerminal(api)
    const first = await ask(asked)
    expect(await offer(first.id)).toEqual({ also: [] })
    await released(first)
    const { task_until: ends } = (await first.client.waits(first.id)).json as { task_until?: string }
    expect(Date.parse(ends ?? '') - nowMs()).toBeGreaterThan((TIMES.taskSeconds - 60) * 1_000)
    for (const [index, argv] of COMMANDS.entries()) {
      const { client, id, json } = await ask({ ...asked, argv })
      expect(json.remembered).toMatchObject({ task: true, uses_left: 49 - index, expires_at: ends })
      expect(Object.keys(client.opened(await client.waits(id)))).toEqual(bundle.names)
    }
    const [grant] = (await api.call('listGrants', { as: owner })).json
    expect(grant).toMatchObject({ task: true, argv: [], agent: 'codex', uses: 4, keys: bundle.names })
    expect(grant).toMatchObject({ label: { program: 'git' }, changed: [] })
    const [created] = (await api.call('listAudit', { as: owner, query: { action: 'grant.created' } })).json
    expect(created?.data).toEqual({ grant: grant?.id, task: true, names: bundle.names })
    const query = { action: 'delivery.remembered' }
    const used = (await api.call('listAudit', { as: owner, query })).json.filter(
      ({ data }) => data['grant'] === grant?.id,
    )
    expect(used).toHaveLength(4)
  })

  test('it ends after half an hour, and after fifty uses', async () => {
    const asked = await begun()
    offsetMs = TIMES.taskSeconds * 1_000
    expect(await again(asked)).toBe('expired')
    offsetMs = 0
    const other = await begun()
    for (let use = 0; use < 50; use += 1) expect(await again({ ...other, argv: [`${use}`] })).toBe('starts')
    expect(await again(other)).toBe('used_up')
  })

  test.each<[string, (asked: Asked) => Partial<Asked>, string]>([
    ['another terminal', () => ({ seed: createDeviceSeed() }), 'asks'],
    ['the key of the terminal in another network', () => ({ address: '203.0.113.9' }), 'other_network'],
    ['another folder', () => ({ cwd: '/home/sam' }), 'other_folder'],
    ['another agent', () => ({ agent: 'claude-code' }), 'other_agent'],
    ['a person', () => ({ agent: undefined }), 'other_agent'],
    ['a name that was not approved', () => ({ names: ['OTHER'] }), 'other_keys'],
    ['other flags', () => ({ use: { ...USE, flags: ['run', '--only=A'] } }), 'other_command'],
    ['less redaction', () => ({ use: { ...USE, redaction: 'never' } }), 'other_command'],
    ['pull', () => ({ use: { ...USE, flags: ['pull'] } }), 'other_command'],
    ['import', () => ({ use: { ...USE, flags: ['import'] } }), 'other_command'],
  ])('it does not cover %s', async (_, change, why) => {
    const asked = await begun()
    expect(await again({ ...asked, ...change(asked) })).toBe(why)
    expect(await again({ ...asked, argv: ['another'] })).toBe('starts')
  })

  test('it covers mcp, more redaction and fewer names, and gives no more of them', async () => {
    const asked = await begun()
    expect(await again({ ...asked, use: { redaction: 'always', flags: ['mcp'] } })).toBe('starts')
    const [name] = bundle.names
    const { client, id, json } = await ask({ ...asked, names: [name] })
    expect(json.remembered?.task).toBe(true)
    expect(Object.keys(client.opened(await client.waits(id)))).toEqual([name])
  })

  test('of names that were asked for, it covers no others, and not all', async () => {
    const [name, other] = bundle.names
    const asked = await begun({ names: [name] }, { include_keys: [name] })
    expect(await again({ ...asked, names: [other] })).toBe('other_keys')
    expect(await again({ ...asked, names: [name, other] })).toBe('other_keys')
    expect(await again({ ...asked, names: [] })).toBe('other_keys')
    expect(await again({ ...asked, argv: ['another'] })).toBe('starts')
  })

  test('what the approver left out is not given, also when it alone is asked for', async () => {
    const [name, other] = bundle.names
    const asked = await begun({}, { include_keys: [name] })
    expect(await again({ ...asked, names: [other] })).toBe('other_keys')
    const { client, id } = await ask(asked)
    expect(Object.keys(client.opened(await client.waits(id)))).toEqual([name])
  })

  test('another bundle asks', async () => {
    const asked = await begun()
    expect(await again(asked, await bundleOf())).toBe('asks')
  })

  test('the terminal of another person gets none, also with more names than that person vouched for', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    await rules({ approvers: 'owner' })
    const { client, id } = await ask(newTerminal(api))
    const [name] = bundle.names
    const body = { bundle_id: bundle.id, include_keys: [name], release: 'code' }
    const { json } = await api.call('vouchForRequest', { as: member, params: { request_id: id }, body })
    expect((await client.release(id, secretOf(json))).status).toBe(200)
    expect(await offer(id)).toBeUndefined()
    for (const names of [[name], bundle.names])
      expectError(await approve(id, { include_keys: names, release: 'code' }), 400, NO_TASK)
  })

  test('new values are given; after a new name a person is asked', async () => {
    const asked = await begun()
    await setValue(bundle.names[0], 'second')
    const { client, id } = await ask(asked)
    expect(client.opened(await client.waits(id))).toMatchObject({ [bundle.names[0]]: 'second' })
    const [grant] = (await api.call('listGrants', { as: owner })).json
    expect(grant?.changed).toEqual([{ name: bundle.names[0], by: expect.any(String) }])
    const body = { name: `NEW_${bundles}`, value: 'x' }
    const made = (await api.call('createKey', { as: owner, body })).json
    const params = { bundle_id: bundle.id, key_id: made.id }
    await api.call('attachKey', { as: owner, params, body: { required: true } })
    expect(await again(asked)).toBe('bundle_changed')
  })

  test('by a code it gives the first versions only', async () => {
    const asked = await begun({ release: ['code'] }, { release: 'code' })
    expect(await again({ ...asked, argv: ['another'] })).toBe('starts')
    await setValue(bundle.names[1], 'second')
    expect(await again(asked)).toBe('bundle_changed')
    expect(await again({ ...asked, names: [bundle.names[0]] })).toBe('starts')
  })

  test('by a code it gives no value that has no version, as of a variable of earlier clients', async () => {
    const asked = await begun({ release: ['code'] }, { release: 'code' })
    const params = { bundle_id: bundle.id }
    const keys = (await api.call('listBundleKeys', { as: owner, params })).json
    const key_id = keys.find(({ name }) => name === bundle.names[1])?.id ?? ''
    await api.call('detachKey', { as: owner, params: { ...params, key_id } })
    const item = { key: bundle.names[1], value: 'second' }
    expect((await api.call('upsertLegacyItem', { as: owner, params, body: item })).failure).toBeNull()
    expect(await again(asked)).toBe('bundle_changed')
  })

  test('a loopback that failed and returned by a code counts as a code', async () => {
    const asked = newTerminal(api)
    const { client, id } = await ask(asked)
    await approve(id)
    const fresh = await api.call('createReleaseCode', { as: owner, params: { request_id: id } })
    expect((await client.release(id, secretOf(fresh.json))).status).toBe(200)
    expect(await again(asked)).toBe('starts')
    await setValue(bundle.names[0], 'second')
    expect(await again(asked)).toBe('bundle_changed')
  })

  test('a task by a code makes no terminal known', async () => {
    const asked = await begun({ release: ['code'] }, { release: 'code' })
    const other = await bundleOf()
    expect((await ask({ ...asked, release: ['loopback'] }, other)).json.may_leave).toBeUndefined()
    const returned = await begun()
    expect((await ask(returned, other)).json.may_leave).toBe(true)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['forbid tasks', () => rules({ tasks: 'none' })],
    ['remember nothing', () => rules({ remember_hours: 0 })],
    ['ask about agents each time', () => rules({ agents: 'ask' })],
    ['are those of production', () => tag('prod')],
  ])('an approval does not return if the rules now %s', async (_, change) => {
    const asked = newTerminal(api)
    const { client, id } = await ask(asked)
    const { json } = await approve(id)
    await change()
    const changed = 'The rules changed after the approval: run the command again'
    expectError(await client.release(id, secretOf(json)), 409, changed, 'conflict')
    expect((await api.call('listGrants', { as: owner })).json.map((grant) => grant.bundle.id)).not.toContain(
      bundle.id,
    )
    expect((await approve(id, { remember_for: undefined })).status).toBe(200)
  })

  test('an approval that never returns begins no task', async () => {
    const asked = newTerminal(api)
    await approve((await ask(asked)).id)
    expect(await again(asked)).toBe('asks')
  })

  test.each<[string, object, Partial<Asked>]>([
    ['no place allows tasks', { agents: 'remember' }, {}],
    ['a place forbids them', { agents: 'remember', tasks: 'none' }, {}],
    ['agents are asked about each time', { agents: 'ask', tasks: 'allow' }, {}],
    ['nothing is remembered', { agents: 'remember', tasks: 'allow', remember_hours: 0 }, {}],
    ['two people approve', { agents: 'remember', tasks: 'allow', approvals_needed: 2 }, {}],
    ['the command is pull', { tasks: 'allow', agents: 'remember' }, { use: { ...USE, flags: ['pull'] } }],
    ['nothing can return', { tasks: 'allow', agents: 'remember' }, { release: [] }],
    ['the server sees only its proxy', { tasks: 'allow', agents: 'remember' }, { address: '127.0.0.1' }],
  ])('%s: no task is offered, and none is taken', async (_, set, changes) => {
    bundle = await bundleOf(set)
    const { id } = await ask(newTerminal(api, changes))
    expect(await offer(id, await joinWorkspace(api, owner, 'member'))).toBeUndefined()
    const release = changes.release?.length === 0 ? {} : { release: 'loopback' }
    expectError(await approve(id, { release: undefined, ...release }), 400, NO_TASK, 'invalid')
  })

  test('it needs a return, and takes neither hours nor typed values', async () => {
    const { id } = await ask(newTerminal(api))
    expectError(await approve(id, { release: undefined }), 400, NO_TASK)
    expectError(await approve(id, { remember_hours: 1 }), 400, NO_TASK)
    const typed = [{ name: 'TYPED', value: 'x' }]
    expectError(await approve(id, { typed }), 400, expect.stringContaining('typed values'))
    expectError(await approve(id, { release: undefined, later: true }), 400, expect.any(String))
  })

  test('in production only where production allows it', async () => {
    const folder = { folder: 'prod/' }
    await api.call('changeTenantPolicy', { as: owner, body: { tasks: 'allow', agents: 'remember' } })
    const prod: Bundle = { ...(await bundleOf({})), name: `prod/p${bundles}` }
    const params = { bundle_id: prod.id }
    await api.call('updateBundle', { as: owner, params, body: { name: prod.name } })
    expect(await offer((await ask(newTerminal(api), prod)).id, owner, prod)).toBeUndefined()
    await api.call('changeTenantPolicy', {
      as: owner,
      body: { ...folder, tasks: 'allow', remember_hours: 1 },
    })
    expect(await offer((await ask(newTerminal(api), prod)).id, owner, prod)).toEqual({ also: [] })
    await api.call('changeTenantPolicy', { as: owner, body: { tasks: null, agents: null } })
    await api.call('changeTenantPolicy', {
      as: owner,
      body: { ...folder, tasks: null, remember_hours: null },
    })
  })

  test('an owner can allow it first, for an agent, where no place says anything of it', async () => {
    bundle = await bundleOf({})
    const asked = newTerminal(api)
    const { id } = await ask(asked)
    expect(await offer(id)).toEqual({ rule: { folder: 'test/' }, also: [] })
    expect(await offer(id, await joinWorkspace(api, owner, 'member'))).toBeUndefined()
    expect(await offer((await ask({ ...asked, agent: undefined })).id)).toBeUndefined()
    await tag('prod')
    expect(await offer(id)).toBeUndefined()
    await tag('')
    await rules({ agents: 'ask' })
    expect(await offer(id)).toBeUndefined()
    await rules({ agents: null, tasks: 'none' })
    expect(await offer(id)).toBeUndefined()
  })

  test('waiting commands that the page listed start when the approval returned; others ask', async () => {
    const asked = newTerminal(api)
    const first = await ask(asked)
    const listed = await ask({ ...asked, argv: ['npm', 'run', 'dev'] })
    const unlisted = await ask({ ...asked, argv: ['npm', 'run', 'lint'] })
    const elsewhere = await ask({ ...asked, cwd: '/tmp' })
    const also = (await offer(first.id))?.also
    expect(also).toEqual([
      { request_id: listed.id, argv: ['npm', 'run', 'dev'] },
      { request_id: unlisted.id, argv: ['npm', 'run', 'lint'] },
    ])
    const { json } = await approve(first.id, { also: [listed.id, elsewhere.id] })
    const status = async ({ id }: Request) =>
      (await api.call('getRequestContext', { params: { request_id: id } })).json.status
    expect(await status(listed)).toBe('pending')
    // The approval has returned also while the next call to the store fails.
    faults.next('none')
    faults.next('before')
    expect((await first.client.release(first.id, secretOf(json))).status).toBe(200)
    await until('the listed command starts', async () => (await status(listed)) === 'ready')
    expect(Object.keys(listed.client.opened(await listed.client.waits(listed.id)))).toEqual(bundle.names)
    for (const other of [unlisted, elsewhere]) expect(await status(other)).toBe('pending')
  })

  test('the page lists no request of another terminal, bundle or folder, also of the same repository', async () => {
    const asked = newTerminal(api, { use: { ...USE, repository: '/home/sam/shop' } })
    const first = await ask(asked)
    await ask({ ...asked, cwd: '/home/sam/shop-2' })
    await ask({ ...asked, seed: createDeviceSeed() })
    await ask({ ...asked, agent: undefined })
    await ask({ ...asked, use: { ...USE, flags: ['pull'] } })
    await ask(asked, await bundleOf())
    expect(await offer(first.id)).toEqual({ also: [] })
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
    ['a rule changes', () => rules({ tasks: 'none' }), 'policy_changed'],
    ['a tag says production', () => tag('prod'), 'policy_changed'],
    ['an owner ends it', () => endNewest(), 'revoked'],
  ])('%s: it ends at once', async (_, change, why) => {
    const person = await joinWorkspace(api, owner, 'owner')
    const asked = await begun({}, {}, person)
    expect(await again(asked)).toBe('starts')
    await change(person)
    expect(await again(asked)).toBe(why)
  })

  test('one that was ended and put back in the database is found, also after a use', async () => {
    const asked = await begun()
    const [grant] = (await api.call('listGrants', { as: owner })).json
    const id = grant?.id ?? ''
    const { databaseUrl, dataDir } = api.settings
    const database = await openDatabase(databaseUrl ?? join(dataDir, 'keyferry.db'))
    const { ended, row_version, mac } = await database.query
      .selectFrom('grants')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await endNewest()
    await database.query.updateTable('grants').set({ ended, row_version, mac }).where('id', '=', id).execute()
    await database.close()
    expect(await again(asked)).toBe('starts')
    const old = { table: 'grants', name: `${owner.tenantId} ${id}`, problem: 'old' }
    expect(await findForeignRows(api.settings)).toMatchObject([old])
    await endNewest()
  })

  const endNewest = async () => {
    const [grant] = (await api.call('listGrants', { as: owner })).json
    await api.call('revokeGrant', { as: owner, params: { grant_id: grant?.id ?? '' } })
  }
})
