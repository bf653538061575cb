import { randomUUID } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { DepositClient, planOf, storeDeposit } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'

/** Calls `between` once, after an import read the keys that it may use, or one of them, and before it reads their
 * values. */
function pausedReads() {
  let between: (() => Promise<void>) | null = null
  let paused: string | undefined
  const pausing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [row = {}] = result.rows
      if (between === null || !('value_set_by' in row && 'bytes' in row)) return result
      if (paused !== undefined && row['id'] !== paused) return result
      const run = between
      between = null
      await run()
      return result
    },
  }
  return {
    pausing,
    pauseNext: (run: () => Promise<void>, keyId?: string) => {
      between = run
      paused = keyId
    },
    isOver: () => between === null,
  }
}

describe.each(databases)('a plan while a key changes, on %s', (kind) => {
  const reads = pausedReads()
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      aroundDatabase: (database) => ({ ...database, query: database.query.withPlugin(reads.pausing) }),
    })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const keyNamed = async (wanted: string) =>
    (await api.call('listKeys', { as: owner })).json.find(({ name }) => name === wanted)?.id ?? ''
  const changeNow = async (key_id: string) => {
    const body = { value: 'planted-secret', is_secret: true }
    expect((await api.call('updateKey', { as: owner, params: { key_id }, body })).status).toBe(200)
  }

  test('a value that becomes secret between two reads is not shown', async () => {
    const client = new DepositClient(api)
    const bundle = `dev/${randomUUID()}`
    const requestId = await client.deposit(bundle, { LEVEL: ['info', false] })
    await storeDeposit(api, owner, { client, requestId })
    const key = await keyNamed('LEVEL')
    const id = await client.deposit(bundle, { LEVEL: ['debug', false] })
    reads.pauseNext(() => changeNow(key))
    const plan = await planOf(api, owner, id)
    expect(reads.isOver()).toBe(true)
    expect(plan.json.plan).toMatchObject([{ name: 'LEVEL', action: 'kept', is_secret: true }])
    expect(plan.json.plan[0]).not.toHaveProperty('old_value')
  })

  test('a bundle that is renamed between two reads keeps its rules', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const [from, bundle] = [`prod/${randomUUID()}`, `dev/${randomUUID()}`]
    const importing = (as: Identity, body: object) =>
      api.call('importVariables', { as, body: { own: ['S'], ...body } })
    const entries = [{ name: 'S', value: 'planted' }]
    const made = (await importing(owner, { bundle: from, entries })).json
    const params = { bundle_id: made.bundle_id ?? '' }
    await api.call('changeBundlePolicy', {
      as: owner,
      params,
      body: { approvers: 'owner', changers: 'member' },
    })
    await importing(member, { bundle, entries })
    reads.pauseNext(async () => {
      const renamed = await api.call('updateBundle', { as: owner, params, body: { name: `${from}2` } })
      expect(renamed.status).toBe(200)
    }, made.plan[0]?.key_id ?? '')
    const taken = await importing(member, { bundle, entries: [{ name: 'S', from }], dry_run: true })
    expect(reads.isOver()).toBe(true)
    expectError(taken, 403, 'Forbidden: owner role required', 'forbidden')
  })
})
