import { randomRequestId } from '@keyferry/crypto/token'
import { createClient, createCluster } from 'redis'
import { afterAll, describe, expect, test } from 'vitest'
import { ownRedisCluster } from '../../../plumbing/test/redis-cluster.ts'
import { actsOn } from '../../test/request-acts.ts'
import { unavailable } from '../domain/base/errors.ts'
import { depositContract } from './deposit.contract.ts'
import { racesContract } from './races.contract.ts'
import { openRedisRequestStore, type RequestRedis } from './redis.ts'
import { releaseContract } from './release.contract.ts'
import { type OpenedStores, requestStoreContract } from './request-store.contract.ts'

const cluster = await ownRedisCluster()

/** A node's connection: commands go to the master of their slot, and any master delivers what was published. */
async function connect(): Promise<{ redis: RequestRedis; close: () => Promise<void> }> {
  const urls = (cluster?.urls ?? []).map((url) => ({ url }))
  const commands = createCluster({ rootNodes: urls })
  const subscriber = createClient(urls[0])
  await Promise.all([commands.connect(), subscriber.connect()])
  const reply: RequestRedis['reply'] = async (command) => {
    try {
      return await command(commands)
    } catch (cause) {
      throw unavailable('Redis', cause)
    }
  }
  const close = async () => {
    subscriber.destroy()
    commands.destroy()
  }
  return { redis: { reply, commands: subscriber, subscriber }, close }
}

async function openNodes(): Promise<OpenedStores> {
  const prefix = `test-${randomRequestId()}:`
  const [one, other] = await Promise.all([connect(), connect()])
  const storeOn = async (redis: RequestRedis) => actsOn(await openRedisRequestStore({ redis, prefix }))
  return {
    here: await storeOn(one.redis),
    there: await storeOn(other.redis),
    small: async (maxLive, maxBoxBytes) => {
      const bounds = { maxLive, ...(maxBoxBytes === undefined ? {} : { maxBoxBytes }) }
      const small = { redis: one.redis, prefix: `small-${randomRequestId()}:`, ...bounds }
      return actsOn(await openRedisRequestStore(small))
    },
    close: async () => void (await Promise.all([one.close(), other.close()])),
  }
}

describe.runIf(cluster)('on a Redis Cluster of three masters', () => {
  afterAll(async () => await cluster?.stop())

  requestStoreContract('Redis Cluster', openNodes)
  releaseContract('Redis Cluster', openNodes)
  depositContract('Redis Cluster', openNodes)
  racesContract('Redis Cluster', openNodes)

  test('all keys of the store are on one master', async () => {
    const counts = await Promise.all(
      (cluster?.urls ?? []).map(async (url) => {
        const client = createClient({ url })
        await client.connect()
        const count = await client.dbSize()
        client.destroy()
        return count
      }),
    )
    expect(counts.filter((count) => count > 0)).toHaveLength(1)
  })
})
