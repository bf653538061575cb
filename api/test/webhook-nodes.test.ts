import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { eventually } from '../../plumbing/test/until.ts'
import { type Identity, startTestApi, type TestApi, testSettings } from './api.ts'
import { Receiver } from './webhook-receiver.ts'

const databaseUrl = await freshPostgres()
const redis = await ownRedis()

const MESSAGES = 30

describe.runIf(databaseUrl && redis)('webhooks of two nodes on one PostgreSQL', () => {
  const { rootKeys } = testSettings()
  const newNode = (now = () => new Date()) =>
    startTestApi('sqlite', {
      databaseUrl,
      redisUrl: redis?.url ?? null,
      rootKeys,
      now,
      privateTargets: ['127.0.0.1/32'],
    })
  let first: TestApi
  let owner: Identity
  let receiver: Receiver
  beforeAll(async () => {
    first = await newNode()
  })
  beforeEach(async () => {
    owner = await first.newOwner()
    receiver = new Receiver()
    await receiver.start()
    const body = { url: receiver.url, events: ['bundle.created'] }
    await first.call('createWebhook', { as: owner, body })
  })
  afterEach(() => receiver.stop())
  afterAll(async () => {
    await first.close()
    await redis?.stop()
  })

  const created = (name: string, node = first) => node.call('createBundle', { as: owner, body: { name } })

  test('each message is sent once, and the receiver gets one call at a time', async () => {
    const second = await newNode()
    onTestFinished(() => second.close())
    const nodes = [first, second]
    let [running, most] = [0, 0]
    receiver.answer = (response) => {
      running += 1
      most = Math.max(most, running)
      setTimeout(() => {
        running -= 1
        response.writeHead(204).end()
      })
    }
    for (let count = 0; count < MESSAGES; count += 1) await created(`b${count}`, nodes[count % 2])
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(MESSAGES))
    expect(new Set(receiver.ids).size).toBe(MESSAGES)
    expect([receiver.received.length, most]).toEqual([MESSAGES, 1])
  })

  test('a message of a node that ended during the call is sent by another one, with the same id', async () => {
    receiver.answer = () => {}
    await created('held')
    await eventually(() => expect(receiver.received).toHaveLength(1))
    // The claim lasts half a minute, and the other node's clock is past it.
    const ahead = await newNode(() => new Date(Date.now() + 31_000))
    onTestFinished(() => ahead.close())
    receiver.answer = (response) => response.writeHead(204).end()
    await eventually(() => expect(receiver.received).toHaveLength(2))
    expect(new Set(receiver.ids).size).toBe(1)
  })
})
