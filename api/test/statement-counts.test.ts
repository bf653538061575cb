import { StatementSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { type Identity, startTestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const METHODS = ['run', 'get', 'all'] as const

/** The least of three calls: during a call, the server may also append to the log. */
async function statementsOf(call: () => Promise<unknown>): Promise<number> {
  type Method = (this: StatementSync, ...values: unknown[]) => unknown
  const prototype: Record<string, Method> = Object(StatementSync.prototype)
  const own = METHODS.map((name) => [name, prototype[name]] as const)
  let statements = 0
  for (const [name, counted] of own) {
    const counting = function (this: StatementSync, ...values: unknown[]) {
      statements += 1
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
