import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { type Identity, startTestApi, type TestApi, testSettings } from './api.ts'
import { approveDeposit, bundleValues, DepositClient, storeDeposit } from './deposit-client.ts'
import { secretOf } from './returning-client.ts'

// The second node's clock is past the 15 seconds that the first one has to store a deposit.
const AHEAD_MS = 16_000
const now = () => new Date(Date.now() + AHEAD_MS)

const databaseUrl = await freshPostgres()
const redis = await ownRedis()

describe.runIf(databaseUrl && redis)('a node that does not finish a deposit in 15 seconds', () => {
  let first: TestApi
  let second: TestApi
  let owner: Identity
  beforeAll(async () => {
    const { rootKeys } = testSettings()
    const shared = { databaseUrl, rootKeys, trustProxy: ['127.0.0.1'] }
    ;[first, second] = await Promise.all([
      startTestApi('sqlite', { ...shared, redisUrl: redis?.url ?? null }),
      startTestApi('sqlite', { ...shared, redisUrl: redis?.url ?? null, now }),
    ])
  })
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()])
    await redis?.stop()
  })

  let blocking: Client
  beforeEach(async () => {
    owner = await second.newOwner()
    blocking = new Client({ connectionString: databaseUrl })
    await blocking.connect()
    await blocking.query('begin')
    await blocking.query('update tenants set updated_at = updated_at where id = $1', [owner.tenantId])
  })
  afterEach(() => blocking.end())

  /** A deposit that the first node is about to store: its transaction waits. */
  async function halfStored(name: string) {
    const client = new DepositClient(second)
    const requestId = await client.deposit('dev/app', { [name]: 'v' })
    const held = await approveDeposit(first, owner, { requestId, release: 'code' })
    const approving = first.call('releaseRequest', {
      params: { request_id: requestId },
      headers: client.proof(),
      body: { secret: secretOf(held.json) },
    })
    await expect.poll(() => statusOf(requestId)).toBe('ready')
    return { client, requestId, approving }
  }
  const statusOf = async (request_id: string) =>
    (await second.call('getRequestContext', { params: { request_id } })).json.status

  test('is overtaken: the request is open again, and the late transaction stores nothing', async () => {
    const { client, requestId, approving } = await halfStored('SLOW')
    const waiting = client.waits(requestId)
    await expect.poll(() => statusOf(requestId)).toBe('pending')
    await blocking.query('rollback')
    expect((await approving).failure?.code).toBe('plan_changed')
    expect((await second.call('listBundles', { as: owner })).json).toEqual([])
    expect((await storeDeposit(second, owner, { client, requestId })).status).toBe(200)
    expect((await waiting).json).toMatchObject({ status: 'applied', deposit: { counts: { create: 1 } } })
    expect(await bundleValues(second, owner, 'dev/app')).toEqual({ SLOW: 'v' })
  })
})
