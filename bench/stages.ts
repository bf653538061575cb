import { ownPostgres } from '../plumbing/test/postgres.ts'
import { ownRedis } from '../plumbing/test/redis-server.ts'
import type { Backends } from './contenders.ts'

/** What a benchmark runs on. Subject and baseline have a database each, on one and the same server. */
export type Stage = { readonly name: string; readonly forApi: Backends; readonly forBare: string | undefined }

/** SQLite, then PostgreSQL with Redis: real servers of this run alone, with fsync on. The latter is left out, and said
 * so, where no redis-server is installed. */
export async function* stages(): AsyncGenerator<Stage> {
  yield { name: 'SQLite', forApi: {}, forBare: undefined }
  const redis = await ownRedis()
  if (!redis) return
  const postgres = await ownPostgres({ fsync: 'on' })
  try {
    const forApi = { databaseUrl: await postgres.newDatabase('api'), redisUrl: redis.url }
    yield { name: 'PostgreSQL', forApi, forBare: await postgres.newDatabase('bare') }
  } finally {
    await Promise.all([postgres.dispose(), redis.stop()])
  }
}
