import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import type { Stores } from './deployment.ts'

/** A PostgreSQL database and a Redis; null, and said so, where one of them cannot be had. */
export async function hostedStores(): Promise<(Stores & AsyncDisposable) | null> {
  const redis = await testRedis()
  const databaseUrl = redis && (await freshPostgres())
  if (!databaseUrl) return null
  return { databaseUrl, redisUrl: redis.url, [Symbol.asyncDispose]: () => redis.stop() }
}
