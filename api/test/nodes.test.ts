import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { expectError, type Identity, startTestApi, type TestApi, testSettings } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const databaseUrl = await freshPostgres()
const redis = await ownRedis()

describe.runIf(databaseUrl && redis)('two nodes on one PostgreSQL and one Redis', () => {
  let nodes: [TestApi, TestApi]
  let owner: Identity
  let choice: { bundle_id: string; include_keys: string[] }
  beforeAll(async () => {
    const { rootKeys } = testSettings()
    const shared = { databaseUrl, redisUrl: redis?.url ?? null, rootKeys, trustProxy: ['127.0.0.1'] }
    nodes = await Promise.all([startTestApi('sqlite', shared), startTestApi('sqlite', shared)])
    owner = await nodes[0].newOwner()
    const bundle = await newBundle(nodes[0], owner, { URL: 'pg://s3cret' })
    choice = { bundle_id: bundle.id, include_keys: ['URL'] }
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await redis?.stop()
  })

  const node = (n: number) => (n % 2 ? nodes[1] : nodes[0])

  test('a wait on one node is woken by the approval on the other', async () => {
    const client = new ApprovalClient(node(0))
    const requestId = await client.asked()
    const waiting = client.wait(requestId)
    await node(0).untilWaiting()
    const approved = await approveWith(node(1), owner, { requestId, ...choice })
    expect(approved.status).toBe(200)
    expect(client.opened(await waiting)).toEqual({ URL: 'pg://s3cret' })
  })

  test('of 50 concurrent waits over both nodes exactly one is served', async () => {
    const client = new ApprovalClient(node(0))
    const requestId = await client.asked()
    await approveWith(node(1), owner, { requestId, ...choice })
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => new ApprovalClient(node(n)).wait(requestId)),
    )
    const served = answers.filter(({ status }) => status === 200)
    expect(served.map(({ json }) => json)).toEqual([
      expect.objectContaining({ status: 'ready', ciphertext_base64: expect.any(String) }),
    ])
    for (const { status } of answers) expect([200, 404, 429]).toContain(status)
    expectError(await client.wait(requestId), 404, GONE)
  })

  test('of 20 approvals over both nodes exactly one wins', async () => {
    const requestId = await new ApprovalClient(node(0)).asked()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => approveWith(node(n), owner, { requestId, ...choice })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test('a denial on one node ends the wait on the other', async () => {
    const client = new ApprovalClient(node(0))
    const requestId = await client.asked()
    const waiting = client.wait(requestId)
    await node(0).untilWaiting()
    await node(1).call('denyRequest', { as: owner, params: { request_id: requestId } })
    expectError(await waiting, 404, GONE, 'request_denied')
  })

  test('two waiters on two nodes: one is served, the other waits until that is delivered', async () => {
    const client = new ApprovalClient(node(0))
    const requestId = await client.asked()
    const waits = [client.wait(requestId)]
    await node(0).untilWaiting()
    // Too soon, so it is refused, and comes again when it may.
    const patient = async () => {
      const refused = await client.wait(requestId, {}, node(1))
      await sleep(Number(refused.headers.get('retry-after')) * 1_000)
      return await client.wait(requestId, {}, node(1))
    }
    waits.push(patient())
    await Promise.all(nodes.map((each) => each.untilWaiting()))
    await approveWith(node(1), owner, { requestId, ...choice })
    const answers = await Promise.all(waits)
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404'])
  })

  test('calls count over both nodes', async () => {
    const client = new ApprovalClient(node(0))
    const other = new ApprovalClient(node(1))
    const from = { 'x-forwarded-for': client.address }
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? client.ask() : other.ask({}, from))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  })

  test('without Redis approvals answer 503 with Retry-After and the rest works; with Redis back, open requests go on', async () => {
    const client = new ApprovalClient(node(0))
    const requestId = await client.asked()
    const waiting = new ApprovalClient(node(1)).wait(requestId)
    await node(1).untilWaiting()
    await redis?.stop()
    const refused = await client.ask()
    expect([refused.status, refused.failure?.code]).toEqual([503, 'unavailable'])
    expect(refused.headers.get('retry-after')).toBe('1')
    expect((await node(0).call('getReadiness')).status).toBe(503)
    expect((await node(0).call('listBundles', { as: owner })).status).toBe(200)

    await redis?.start()
    const approved = async () => (await approveWith(node(1), owner, { requestId, ...choice })).status
    await expect.poll(approved).toBe(200)
    expect((await waiting).json.status).toBe('ready')
    await expect.poll(async () => (await node(0).call('getReadiness')).status).toBe(200)
    const again = await client.asked()
    await approveWith(node(1), owner, { requestId: again, ...choice })
    await expect.poll(async () => (await client.wait(again)).status).toBe(200)
  })
})
