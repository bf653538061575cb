import { randomUUID } from 'node:crypto'
import { StatementSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Identity, startTestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const METHODS = ['run', 'get', 'all'] as const

// The server appends to the log and hands messages over whenever it can, perhaps during a call.
const IN_THE_BACKGROUND = /(from|into|update) "(audit_\w+|webhook\w+|mail\w+)"|(from|update) "events"/

/** The least of three calls, without what the server does in the background. */
async function statementsOf(call: () => Promise<unknown>): Promise<number> {
  type Method = (this: StatementSync, ...values: unknown[]) => unknown
  const prototype: Record<string, Method> = Object(StatementSync.prototype)
  const own = METHODS.map((name) => [name, prototype[name]] as const)
  let statements = 0
  for (const [name, counted] of own) {
    const counting = function (this: StatementSync, ...values: unknown[]) {
      if (!IN_THE_BACKGROUND.test(this.sourceSQL)) statements += 1
      return counted?.apply(this, values)
    }
    prototype[name] = counting
  }
  try {
    const counts: number[] = []
    while (counts.length < 3) {
      statements = 0
      await call()
      counts.push(statements)
    }
    return Math.min(...counts)
  } finally {
    Object.assign(prototype, Object.fromEntries(own))
  }
}

test.each([
  ['without rules', [15, 25]],
  ['with rules of the workspace and of two bundles', [20, 30]],
])('an approval and a whole delivery %s take few statements', async (rules, [approval, delivery]) => {
  const api = await startTestApi('sqlite')
  const owner = await api.newOwner()
  const bundle = await newBundle(api, owner, { A: 'one', B: 'two' })
  if (rules !== 'without rules') await setRules(owner, [bundle, await newBundle(api, owner, { C: 'three' })])
  const approve = (requestId: string) =>
    approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys: ['A', 'B'] })
  const asked: string[] = []
  while (asked.length < 3) asked.push(await new ApprovalClient(api).asked())
  const ofApproval = await statementsOf(async () =>
    expect((await approve(asked.pop() ?? '')).status).toBe(200),
  )
  const ofDelivery = await statementsOf(async () => {
    const client = new ApprovalClient(api)
    const id = await client.asked()
    await api.call('getRequestContext', { params: { request_id: id } })
    await approve(id)
    expect(client.opened(await client.wait(id))).toEqual({ A: 'one', B: 'two' })
  })
  expect([ofApproval, ofDelivery]).toEqual([approval, delivery])
  await api.close()

  async function setRules(as: Identity, bundles: readonly { id: string }[]): Promise<void> {
    const set = { approvers: 'owner' }
    await api.call('changeTenantPolicy', { as, body: set })
    for (const { id } of bundles)
      await api.call('changeBundlePolicy', { as, params: { bundle_id: id }, body: set })
  }
})

test.each([
  ['an owner', 'owner', undefined, { key: 3, bundle: 4 }],
  ['a member', 'member', undefined, { key: 4, bundle: 5 }],
  ['a limited member', 'member', ['partner/'], { key: 7, bundle: 8 }],
] as const)(
  'reading one key and one bundle takes %s few statements',
  async (_, role, limitedTo, expected) => {
    const api = await startTestApi('sqlite')
    const owner = await api.newOwner()
    const name = 'partner/shop'
    const bundle = await api.call('createBundle', { as: owner, body: { name } })
    const key = await api.call('createKey', { as: owner, body: { name: 'A', value: 'one' } })
    const [bundle_id, key_id] = [bundle.json.id, key.json.id]
    await api.call('attachKey', { as: owner, params: { bundle_id, key_id } })
    const email = `${randomUUID()}@example.com`
    const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
    const { user_id: userId, tenant_id: tenantId } = (await api.call('ensureUser', { body })).json
    const invited = { email, role, limited_to: limitedTo && [...limitedTo] }
    const { token } = (await api.call('createInvitation', { as: owner, body: invited })).json
    await api.call('acceptInvitation', { as: { userId, tenantId }, body: { token } })
    const as = { userId, tenantId: owner.tenantId }
    const read = {
      key: () => api.call('getKey', { as, params: { key_id } }),
      bundle: () => api.call('getBundle', { as, params: { bundle_id } }),
    }
    const taken = { key: 0, bundle: 0 }
    for (const what of ['key', 'bundle'] as const)
      taken[what] = await statementsOf(async () => expect((await read[what]()).status).toBe(200))
    expect(taken).toEqual(expected)
    await api.close()
  },
)
