import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract'
import { afterAll, describe } from 'vitest'
import { testRedis } from '../../../plumbing/test/redis-server.ts'
import { openRedisNodes } from '../../test/redis-nodes.ts'
import { actsOn } from '../../test/request-acts.ts'
import { depositContract } from './deposit.contract.ts'
import { racesContract } from './races.contract.ts'
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

const openNodes = () => openRedisNodes(redis?.url ?? '')

describe.runIf(redis)('with a Redis', () => {
  afterAll(async () => await redis?.stop())

  requestStoreContract('Redis', openNodes)
  releaseContract('Redis', openNodes)
  depositContract('Redis', openNodes)
  racesContract('Redis', openNodes)
})
