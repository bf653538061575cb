import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { type Answered, expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const redis = await ownRedis()

const expectUnavailable = (answer: Answered) => {
  expectError(answer, 503, 'Redis is unavailable', 'unavailable')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
}

describe.runIf(redis)('a Redis that is away while an approval is held', () => {
  if (redis === null) return
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  let way: Awaited<ReturnType<typeof wayTo>>
  beforeAll(async () => {
    way = await wayTo(Number(new URL(redis.url).port))
    api = await startTestApi('sqlite', {
      trustProxy: ['127.0.0.1'],
      redisUrl: `redis://127.0.0.1:${way.port}`,
    })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(async () => {
    await api.close()
    way.close()
    await redis.stop()
  })

  const held = async () => {
    const client = new ReturningClient(api)
    const requestId = await client.request()
    const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'], release: 'code' }
    return { client, requestId, secret: secretOf((await approveWith(api, owner, choice)).json) }
  }
  const newest = async () => (await api.call('listDeliveries', { as: owner })).json[0]

  test('and back with what it knew: the release that answered 503 succeeds, and the values arrive once', async () => {
    const { client, requestId, secret } = await held()
    way.cut()
    expectUnavailable(await client.release(requestId, secret))
    expectUnavailable(await client.waits(requestId))
    way.reconnect()
    await expect.poll(async () => (await client.release(requestId, secret)).status).toBe(200)
    expect(client.opened(await client.waits(requestId))).toEqual({ URL: 'pg://s3cret' })
    expect((await client.waits(requestId)).status).toBe(404)
    await expect.poll(newest).toMatchObject({ state: 'collected' })
  })

  test('and back empty: the approval is still there, and the values arrive once', async () => {
    const { client, requestId, secret } = await held()
    await redis.stop()
    expectUnavailable(await client.release(requestId, secret))
    await redis.start()
    const released = async () => (await client.release(requestId, secret)).status
    await expect.poll(released).toBe(200)
    expect(client.opened(await client.waits(requestId))).toEqual({ URL: 'pg://s3cret' })
    await expect.poll(newest).toMatchObject({ state: 'collected' })
  })
})

/** A port that leads to another one until it is cut. */
async function wayTo(port: number) {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((here) => {
    if (isCut) {
      here.destroy()
      return
    }
    const there = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
    open.clear()
  }
  return {
    port: address.port,
    cut,
    reconnect: () => {
      isCut = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
