import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract'
import { randomRequestId } from '@keyferry/crypto/token'
import { afterAll, describe } from 'vitest'
import { testRedis } from '../../../plumbing/test/redis-server.ts'
import { actsOn } from '../../test/request-acts.ts'
import { depositContract } from './deposit.contract.ts'
import { racesContract } from './races.contract.ts'
import { openRedisRequestStore } from './redis.ts'
import { openRedis } from './redis-connection.ts'
import { releaseContract } from './release.contract.ts'
import { type OpenedStores, requestStoreContract } from './request-store.contract.ts'
import { openSqliteRequestStore } from './sqlite.ts'

const smallSqlite = async (maxLive: number, maxBoxBytes = LIMITS.waitingDepositBytes) =>
  actsOn(openSqliteRequestStore({ path: ':memory:', now: Date.now, maxLive, maxBoxBytes }))

async function openSqlite(): Promise<OpenedStores> {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-requests-'))
  const store = actsOn(openSqliteRequestStore({ path: join(folder, 'requests.db'), now: Date.now }))
  const close = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { here: store, there: store, small: smallSqlite, close }
}

requestStoreContract('SQLite', openSqlite)
releaseContract('SQLite', openSqlite)
depositContract('SQLite', openSqlite)
racesContract('SQLite', openSqlite)

const redis = await testRedis()

async function openNodes(): Promise<OpenedStores> {
  const prefix = `test-${randomRequestId()}:`
  const nodes = await Promise.all(
    [0, 1].map(async () => {
      const connection = await openRedis(redis?.url ?? '', () => {})
      return { connection, store: actsOn(await openRedisRequestStore({ redis: connection, prefix })) }
    }),
  )
  const [here, there] = nodes
  if (here === undefined || there === undefined) throw new Error('two nodes')
  const small = async (maxLive: number, maxBoxBytes = LIMITS.waitingDepositBytes) =>
    actsOn(
      await openRedisRequestStore({
        redis: here.connection,
        prefix: `small-${maxBoxBytes}-${prefix}`,
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

describe.runIf(redis)('with a Redis', () => {
  afterAll(async () => await redis?.stop())

  requestStoreContract('Redis', openNodes)
  releaseContract('Redis', openNodes)
  depositContract('Redis', openNodes)
  racesContract('Redis', openNodes)
})
