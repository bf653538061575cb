import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { startTestApi, testSettings } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

test('a rule that asked for a typed check code counts as bound, and page and log say so', async () => {
  const { dataDir, rootKeys } = testSettings({})
  let database: Database | null = null
  const aroundDatabase = (opened: Database) => {
    database = opened
    return opened
  }
  const before = await startTestApi('sqlite', { dataDir, rootKeys, aroundDatabase })
  const owner = await before.newOwner()
  const { id: bundle_id } = await newBundle(before, owner, { URL: 'pg://s3cret' })
  const folder = 'test/'
  await before.call('changeTenantPolicy', { as: owner, body: { approvers: 'owner' } })
  await before.call('changeTenantPolicy', { as: owner, body: { folder, assurance: 'compat' } })
  await before.call('changeBundlePolicy', { as: owner, params: { bundle_id }, body: { agents: 'deny' } })
  for (const table of ['tenant_policies', 'folder_policies', 'bundle_policies'] as const)
    await (database as unknown as Database).write(
      async (transaction) => await transaction.updateTable(table).set({ assurance: 'typed' }).execute(),
    )
  await before.close()

  const api = await startTestApi('sqlite', { dataDir, rootKeys })
  onTestFinished(() => api.close())
  const [line] = api.log().match(/.*rules that ask for a typed check code count as bound.*/) ?? []
  expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 40, places: 3 })

  const all = (await api.call('getTenantPolicy', { as: owner, query: { places: '1' } })).json.places ?? []
  const typed = all.filter(({ set }) => set.was_typed === true)
  expect(typed).toHaveLength(3)
  for (const { set, effective } of typed) {
    expect(set.assurance).toBe('bound')
    expect(effective).not.toHaveProperty('was_typed')
    expect(effective.assurance).toBe('bound')
  }
  const requestId = await new ApprovalClient(api).asked()
  const clicked = await approveWith(api, owner, { requestId, bundle_id, include_keys: ['URL'] })
  expect(clicked.failure).toMatchObject({ code: 'release_required' })

  const change = { approvals_needed: 1, expected: { assurance: 'bound' } }
  expect(
    (await api.call('changeTenantPolicy', { as: owner, body: change })).json.workspace,
  ).not.toHaveProperty('was_typed')
  expect((await api.call('changeTenantPolicy', { as: owner, body: { assurance: 'typed' } })).status).toBe(400)
})
