import { LIMITS } from '@keyferry/contract'
import { randomRequestId } from '@keyferry/crypto/token'
import { openRedisRequestStore } from '../src/request-store/redis.ts'
import { openRedis } from '../src/request-store/redis-connection.ts'
import type { OpenedStores } from '../src/request-store/request-store.contract.ts'
import { actsOn } from './request-acts.ts'

/** Two nodes' stores on one Redis, cluster or master of sentinels. */
export async function openRedisNodes(url: string): Promise<OpenedStores> {
  const prefix = `keyferry:test-${randomRequestId()}:`
  const nodes = await Promise.all(
    [0, 1].map(async () => {
      const connection = await openRedis(url, () => {})
      return { connection, store: actsOn(await openRedisRequestStore({ redis: connection, prefix })) }
    }),
  )
  const [here, there] = nodes
  if (here === undefined || there === undefined) throw new Error('two nodes')
  const small = async (maxLive: number, maxBoxBytes = LIMITS.waitingDepositBytes) =>
    actsOn(
      await openRedisRequestStore({
        redis: here.connection,
        prefix: `${prefix}small-${maxBoxBytes}-`,
        maxLive,
        maxBoxBytes,
      }),
    )
  const close = async () => {
    for (const { connection, store } of nodes) {
      await store.close()
      connection.close()
    }
  }
  return { here: here.store, there: there.store, small, close }
}
