import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import {
  ownRedisCluster,
  ownRedisSentinels,
  type RedisServers,
} from '../../../plumbing/test/redis-cluster.ts'
import { openRedisNodes } from '../../test/redis-nodes.ts'
import { sampleRequest, sealing } from '../../test/sample-request.ts'
import { depositContract } from './deposit.contract.ts'
import { racesContract } from './races.contract.ts'
import { releaseContract } from './release.contract.ts'
import { requestStoreContract } from './request-store.contract.ts'

const TAG = '{requests}'

describe.each([
  { name: 'Redis Cluster of six', start: ownRedisCluster },
  { name: 'master of three sentinels', start: ownRedisSentinels },
])('on a $name', async ({ name, start }) => {
  const servers: RedisServers | null = await start()
  afterAll(async () => await servers?.stop())
  const openNodes = () => openRedisNodes(servers?.url ?? '')

  describe.runIf(servers)('the store', () => {
    requestStoreContract(name, openNodes)
    releaseContract(name, openNodes)
    depositContract(name, openNodes)
    racesContract(name, openNodes)
  })

  test.runIf(servers)(
    'after a kill -9 of the master it goes on, and watchers hear of changes',
    async () => {
      if (!servers) return
      const opened = await openNodes()
      const { here, there } = opened
      const request = sampleRequest({ expiresAtMs: Date.now() + 300_000 })
      await here.create(request, Date.now())
      await sleep(200) // Replication is asynchronous.
      const master = await servers.masterOf(TAG)
      await master.stop()
      await expect.poll(() => refusal(here.find(request.id, Date.now()))).toBe('unavailable')
      const found = () => there.find(request.id, Date.now()).then((it) => it?.status, String)
      await expect.poll(found, { timeout: 20_000 }).toBe('pending')
      let calls = 0
      there.watch(request.id, () => calls++)
      const approve = () => here.approve(request.id, sealing(), Date.now()).catch(String)
      await expect.poll(approve, { timeout: 20_000 }).toMatch(/^(done|ready)$/)
      await expect.poll(() => calls, { timeout: 5_000 }).toBeGreaterThan(0)
      expect((await servers.masterOf(TAG)).port).not.toBe(master.port)
      await opened.close()
    },
    60_000,
  )
})

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  )
