import { setTimeout as sleep } from 'node:timers/promises'
import { randomRequestId } from '@keyferry/crypto/token'
import { createClient } from 'redis'
import { afterAll, describe, expect, test } from 'vitest'
import { ownRedis } from '../../../plumbing/test/redis-server.ts'
import { actsOn } from '../../test/request-acts.ts'
import { sampleRequest, sealing } from '../../test/sample-request.ts'
import { EXPIRED_KNOWN_MS } from '../domain/requests/request-store.ts'
import { openRedisRequestStore } from './redis.ts'
import { openRedis } from './redis-connection.ts'

const redis = await ownRedis()

const request = (lifetimeMs: number) => sampleRequest({ expiresAtMs: Date.now() + lifetimeMs })

describe.runIf(redis)('request store on a Redis that comes and goes', async () => {
  if (redis === null) return
  const connection = await openRedis(redis.url, () => {})
  const store = actsOn(await openRedisRequestStore({ redis: connection }))
  afterAll(async () => {
    connection.close()
    await redis.stop()
  })

  const untilBack = async () => {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (
        await store.store.ping().then(
          () => connection.subscriber.isReady,
          () => false,
        )
      )
        return
      await sleep(20)
    }
    throw new Error('the store did not come back')
  }

  test('Redis itself ends a request when its lifetime ends, and only its id stays for 15 minutes', async () => {
    const made = request(60)
    await store.create(made, Date.now())
    await sleep(90)
    const client = createClient({ url: redis.url })
    await client.connect()
    const remembered = `keyferry:{requests}:gone:${made.id}`
    expect(await client.keys(`*${made.id}*`)).toEqual([remembered])
    expect(await client.get(remembered)).toBe('')
    expect(await client.pTTL(remembered)).toBeLessThanOrEqual(EXPIRED_KNOWN_MS)
    expect(await store.hasExpired(made.id, Date.now())).toBe(true)
    client.destroy()
  })

  test('while Redis is unavailable calls fail at once, and they work again once it is back', async () => {
    await redis.stop()
    await expect(store.find('any', 0)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    await expect(store.create(request(1_000), Date.now())).rejects.toMatchObject({ code: 'unavailable' })
    await redis.start()
    await untilBack()
    const made = request(60_000)
    await store.create(made, Date.now())
    expect(await store.find(made.id, Date.now())).toMatchObject({ request: made, status: 'pending' })
  })

  test('a watcher is called after a lost connection, and hears of approvals again', async () => {
    let calls = 0
    const id = randomRequestId()
    store.watch(id, () => calls++)
    await redis.stop()
    await redis.start()
    await untilBack()
    await expect.poll(() => calls, { timeout: 5_000 }).toBe(1)
    const made = { ...request(60_000), id }
    await store.create(made, Date.now())
    await store.approve(id, sealing(), Date.now())
    await expect.poll(() => calls).toBe(2)
  })

  test('a Redis that accepts but does not answer makes calls fail in a few seconds', async () => {
    redis.freeze()
    try {
      await expect(store.find('any', 0)).rejects.toMatchObject({ code: 'unavailable' })
    } finally {
      redis.thaw()
    }
    await untilBack()
  })
})

test('a missing Redis prevents the start', async () => {
  await expect(openRedis('redis://127.0.0.1:1', () => {})).rejects.toMatchObject({ code: 'unavailable' })
})
