import { createClient } from 'redis'
import { describe, expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { ownRedisCluster, ownRedisSentinels } from '../plumbing/test/redis-cluster.ts'
import { hasRedis, type OwnRedis } from '../plumbing/test/redis-server.ts'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { startManyNodes } from './many-nodes.ts'
import { hasProxy } from './nginx.ts'
import { NodesClient } from './nodes-client.ts'

const OPEN = 5
const canRun = hasProxy('nginx') && hasPostgres() && hasRedis()

describe.skipIf(!canRun).each([
  { on: 'a Redis Cluster of six', start: ownRedisCluster },
  { on: 'a master of three sentinels', start: ownRedisSentinels },
])('four nodes on $on', ({ start }) => {
  test('deliver, and go on after a kill -9 of the master: sessions and open requests are still there', async () => {
    const servers = await start()
    if (!servers) return
    const nodes = await startManyNodes('nginx', { REDIS_URL: servers.url })
    const client = new NodesClient(nodes)
    await client.begin('the value')
    const deliver = async () => {
      const asked = await client.ask(nodes.addressOf('web-1'))
      const waiting = client.wait(asked, nodes.addressOf('web-2'))
      await client.approve(asked, nodes.addressOf('web-1'))
      return await waiting
    }
    expect(await deliver()).toBe('the value')
    const open = await Promise.all(Array.from({ length: OPEN }, () => client.ask()))
    const master = await servers.masterOf('{requests}')
    await replicated(master)
    await master.stop()
    const mayAsk = () => client.call('/api/v1/me').then(({ status }) => status)
    await expect.poll(mayAsk).toBe(200)
    await expect.poll(() => deliver().catch(String)).toBe('the value')
    await Promise.all(open.map((asked) => client.approve(asked)))
    expect(await Promise.all(open.map((asked) => client.wait(asked)))).toEqual(open.map(() => 'the value'))
    await nodes.close()
    await servers.stop()
  })
})

/** Replication is asynchronous: wait until a replica has all that this master has. */
async function replicated({ url }: OwnRedis): Promise<void> {
  const client = createClient({ url })
  await client.connect()
  await client.set('{requests}replicated', '')
  expect(await client.wait(1, PATIENCE_MS)).toBeGreaterThanOrEqual(1)
  client.destroy()
}
