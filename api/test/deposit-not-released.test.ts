import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveDeposit, DepositClient } from './deposit-client.ts'
import { secretOf } from './returning-client.ts'

const LIFETIME_MS = 300_000

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

describe.each(oneDatabase)('a deposit whose approval never returns, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'], now })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    skippedMs = 0
    owner = await api.newOwner()
  })

  const held = async () => {
    const client = new DepositClient(api)
    const requestId = await client.deposit('dev/app', { NEVER: '1' })
    const { json } = await approveDeposit(api, owner, { requestId, release: 'code' })
    return { client, requestId, secret: secretOf(json) }
  }
  const ends = async () => {
    const { json } = await api.call('listAudit', { as: owner })
    return json.filter(({ action }) => action.startsWith('deposit.') && action !== 'deposit.approved')
  }

  test('ends with one alarm after its request, not before, and stores nothing', async () => {
    await held()
    skippedMs = LIFETIME_MS - 60_000
    await api.sweep()
    expect(await ends()).toEqual([])
    skippedMs = LIFETIME_MS
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await api.sweep()
    expect(await ends()).toMatchObject([{ action: 'deposit.not_released', data: { reason: 'expired' } }])
    expect((await api.call('listBundles', { as: owner })).json).toEqual([])
  })

  test('is no alarm if it returned in time', async () => {
    const { client, requestId, secret } = await held()
    expect((await client.release(requestId, secret)).status).toBe(200)
    skippedMs = LIFETIME_MS
    await api.sweep()
    expect((await ends()).map(({ action }) => action)).toEqual(['deposit.applied'])
  })
})
