import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith } from './approval-client.ts'
import { approveDeposit, DepositClient, planOf } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { approveNames, NamesClient } from './names-client.ts'
import { ReturningClient } from './returning-client.ts'

type Asking = { meta?: Record<string, string>; release?: string[] }
type Choice = { user_code?: string; release?: string }
type Asked = {
  requestId: string
  approve: (as: Identity, choice?: Choice) => Promise<{ status: number; failure: { code: string } | null }>
}

const FOLDER = 'live/'
const KINDS = ['delivery', 'names', 'deposit'] as const

/** What is checked before an approval counts, for a request of each kind. */
describe.each(oneDatabase)('checks of every kind of request on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let bundle: { id: string; name: string }
  let made = 0
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    const entries = [{ name: 'URL', value: 'v' }]
    const name = `${FOLDER}web`
    await api.call('importVariables', { as: owner, body: { bundle: name, entries } })
    const [found] = (await api.call('listBundles', { as: owner })).json
    bundle = { id: found?.id ?? '', name }
  })

  const rules = (body: Record<string, unknown>) =>
    api.call('changeTenantPolicy', { as: owner, body: { folder: FOLDER, ...body } })
  const asks: Record<(typeof KINDS)[number], (asking: Asking) => Promise<Asked>> = {
    delivery: async ({ release, meta = {} }) => {
      const requestId = await new ReturningClient(api).request(release, { meta, bundle_id: bundle.name })
      const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'] }
      return { requestId, approve: (as, more) => approveWith(api, as, { ...choice, ...more }) }
    },
    names: async (asking) => {
      const requestId = await new NamesClient(api).asksFor({ bundle: bundle.name, ...asking })
      const choice = { requestId, bundle_id: bundle.id }
      return { requestId, approve: (as, more) => approveNames(api, as, { ...choice, ...more }) }
    },
    deposit: async (asking) => {
      made += 1
      const client = new DepositClient(api)
      const requestId = await client.deposit(`${FOLDER}new${made}`, { NEW: 'v' }, asking)
      const params = { request_id: requestId }
      const approve: Asked['approve'] = async (as, more) => {
        const { status, json } = await planOf(api, as, requestId)
        const body = { plan_id: status === 200 ? json.plan_id : 'none', ...more }
        return await api.call('approveDeposit', { as, params, body })
      }
      return { requestId, approve }
    },
  }

  describe.each(KINDS)('%s', (what) => {
    const asked = (asking: Asking = {}) => asks[what](asking)

    test('is approved by a member', async () => {
      const { approve } = await asked()
      expect((await approve(member, { release: 'loopback' })).status).toBe(200)
    })

    test('is approved once', async () => {
      const { approve } = await asked()
      await approve(member, { release: 'loopback' })
      expect((await approve(owner, { release: 'loopback' })).failure?.code).toBe('conflict')
    })

    test('is refused with another check code', async () => {
      const { approve } = await asked()
      const choice = { release: 'loopback', user_code: 'BBBB-BBBB' }
      expect((await approve(member, choice)).failure?.code).toBe('invalid')
    })

    test('is refused a way of return that the client does not offer', async () => {
      const { approve } = await asked({ release: ['loopback'] })
      expect((await approve(member, { release: 'code' })).failure?.code).toBe('invalid')
    })

    test.each<[Record<string, unknown>, Asking, Choice, string]>([
      [{ approvers: 'owner' }, {}, { release: 'loopback' }, 'owner_approves'],
      [{ approvers: 'named' }, {}, { release: 'loopback' }, 'named_approves'],
      [{ agents: 'deny' }, { meta: { agent: 'codex' } }, { release: 'loopback' }, 'agents_denied'],
      [{ assurance: 'local' }, {}, { release: 'code' }, 'release_required'],
    ])('is refused by the rule %j', async (rule, asking, choice, code) => {
      const people = rule['approvers'] === 'named' ? { people: [owner.userId] } : {}
      expect((await rules({ ...rule, ...people })).status).toBe(200)
      const { approve } = await asked(asking)
      expect((await approve(member, choice)).failure?.code).toBe(code)
    })

    test('is refused without a return where the rules ask for one', async () => {
      await rules({ assurance: 'bound' })
      const { approve } = await asked()
      expect((await approve(member)).failure?.code).toBe('release_required')
    })

    test('is decided by nobody once it was denied', async () => {
      const { requestId, approve } = await asked()
      const params = { request_id: requestId }
      expect((await api.call('denyRequest', { as: member, params })).status).toBe(200)
      expect((await approve(owner, { release: 'loopback' })).failure?.code).toBe('request_denied')
    })

    test('is approved only as what it is', async () => {
      const { requestId } = await asked()
      const params = { request_id: requestId }
      const choice = { requestId, bundle_id: bundle.id, release: 'loopback' }
      const others = {
        delivery: () => approveWith(api, owner, { ...choice, include_keys: ['URL'] }),
        names: () => approveNames(api, owner, choice),
        deposit: () =>
          api.call('approveDeposit', { as: owner, params, body: { plan_id: 'x', release: 'loopback' } }),
      }
      for (const other of KINDS.filter((each) => each !== what))
        expect((await others[other]()).failure?.code).toBe('conflict')
    })
  })

  test.each(['delivery', 'names'] as const)(
    '%s is not approved with a bundle of another workspace',
    async (what) => {
      const { approve } = await asks[what]({})
      const stranger = await api.newOwner()
      expect((await approve(stranger, { release: 'loopback' })).failure?.code).toBe('not_found')
    },
  )

  test('a deposit for one workspace is not found by people of another, nor denied by them', async () => {
    const client = new DepositClient(api)
    const requestId = await client.deposit('dev/new', { NEW: 'v' }, { workspace: owner.tenantId })
    const stranger = await api.newOwner()
    const params = { request_id: requestId }
    const GONE = 'request not found or expired'
    expectError(await api.call('planDeposit', { as: stranger, params, body: {} }), 404, GONE)
    const body = { plan_id: 'x', release: 'loopback' }
    expectError(await api.call('approveDeposit', { as: stranger, params, body }), 404, GONE)
    expectError(await api.call('denyRequest', { as: stranger, params }), 404, GONE)
    expect((await approveDeposit(api, owner, { requestId, release: 'loopback' })).status).toBe(200)
  })
})
