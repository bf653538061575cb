import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, expect, test } from 'vitest'
import { addressesOf } from '../../../plumbing/src/several-hosts.ts'
import { ownRedisCluster } from '../../../plumbing/test/redis-cluster.ts'
import { hasRedis, startRedis } from '../../../plumbing/test/redis-server.ts'
import { openRedisSessionStore } from './redis-store.ts'
import { describeSessionStore } from './session-store.contract.ts'
import { openSqliteSessionStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-sessions-'))
const redis = hasRedis() ? await startRedis() : null
const cluster = await ownRedisCluster()
const quiet = () => undefined

afterAll(async () => void (await Promise.all([redis?.stop(), cluster?.stop()])))

describeSessionStore('SQLite', async (times) =>
  openSqliteSessionStore({ path: join(folder, 'contract.db'), now: () => 0, ...(times && { times }) }),
)

if (redis)
  describeSessionStore('Redis', async (times) => await openRedisSessionStore(() => redis.url, quiet, times))

if (cluster) {
  const [oneOfSix = ''] = addressesOf(cluster.url)
  describeSessionStore(
    'Redis Cluster',
    async (times) => await openRedisSessionStore(() => oneOfSix, quiet, times),
  )
}

const session = {
  tokenHash: 'the-hash',
  idpUserId: 'user_1',
  userId: 'u',
  personalTenantId: 't',
  tenantId: 't',
  way: 'accounts',
  userAgent: '',
  epoch: 0,
  createdAtMs: 1_000,
  lastSeenAtMs: 1_000,
  providerSessionId: null,
  idToken: 'the-id-token',
}

test('the SQLite file is for its owner only, survives a restart, and is swept', async () => {
  const path = join(folder, 'sessions.db')
  const first = openSqliteSessionStore({ path, now: () => 1_000 })
  await first.create(session)
  await first.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = openSqliteSessionStore({ path, now: () => 2_000 })
  expect(await second.find('the-hash', 2_000)).toEqual(session)
  await second.close()
  await openSqliteSessionStore({ path, now: () => 1_000 + 30 * 60_000 }).close()
  expect(await openSqliteSessionStore({ path, now: () => 0 }).find('the-hash', 2_000)).toBeNull()
})

test.skipIf(!redis)('Redis itself deletes a session when it ends, also after a use', async () => {
  if (!redis) return
  const [minuteMs, { tokenHash, createdAtMs }] = [60_000, session]
  const times = { idleMs: 10 * minuteMs, maxMs: 12 * minuteMs }
  const store = await openRedisSessionStore(() => redis.url, quiet, times)
  const client = await createClient({ url: redis.url }).connect()
  const minutesLeft = async () => Math.ceil((await client.pTTL(`keyferry:session:${tokenHash}`)) / minuteMs)
  await store.create(session)
  expect(await minutesLeft()).toBe(10)
  await store.find(tokenHash, createdAtMs + minuteMs)
  expect(await minutesLeft()).toBe(10)
  await store.find(tokenHash, createdAtMs + 5 * minuteMs)
  expect(await minutesLeft()).toBe(7)
  await Promise.all([client.close(), store.close()])
})

test.skipIf(!redis)('an unavailable Redis is an error at once, and its return is noticed', async () => {
  if (!redis) return
  const store = await openRedisSessionStore(() => redis.url, quiet)
  await redis.stop()
  await expect.poll(() => store.ping().catch((error: unknown) => error)).toMatchObject({ status: 503 })
  await redis.start()
  await expect.poll(() => store.ping().then(() => 'back', String)).toBe('back')
  await store.close()
})
