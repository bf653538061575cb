import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomRequestId } from '@keyferry/crypto/token'
import { describe } from 'vitest'
import { testRedis } from '../../test/redis-server.ts'
import { approvalStoreContract } from './approval-store.contract.ts'
import { openRedisApprovalStore } from './redis.ts'
import { openRedis } from './redis-connection.ts'
import { openSqliteApprovalStore } from './sqlite.ts'

approvalStoreContract('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-approvals-'))
  const store = openSqliteApprovalStore({ path: join(folder, 'approvals.db'), now: Date.now })
  const close = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { here: store, there: store, close }
})

const redis = await testRedis()

describe.runIf(redis)('with a Redis', () => {
  approvalStoreContract('Redis', async () => {
    const prefix = `test-${randomRequestId()}:`
    const nodes = await Promise.all(
      [0, 1].map(async () => {
        const connection = await openRedis(redis?.url ?? '', () => {})
        return { connection, store: await openRedisApprovalStore({ redis: connection, prefix }) }
      }),
    )
    const [here, there] = nodes
    if (here === undefined || there === undefined) throw new Error('two nodes')
    const close = async () => {
      for (const { connection, store } of nodes) {
        await store.close()
        connection.close()
      }
      await redis?.stop()
    }
    return { here: here.store, there: there.store, close }
  })
})
