import { join } from 'node:path'
import type { Logger } from 'pino'
import { openRedisApprovalStore } from './approval-store/redis.ts'
import type { RedisConnection } from './approval-store/redis-connection.ts'
import { openSqliteApprovalStore } from './approval-store/sqlite.ts'
import type { ApprovalStore } from './domain/approval-store.ts'
import { Deliveries } from './domain/deliveries.ts'
import type { Source } from './domain/source.ts'
import { WaitingRoom } from './domain/waiting-room.ts'
import { type Limits, openRateLimits } from './http/rate-limit.ts'
import type { ApiSettings } from './settings.ts'

/** What lives for minutes only: approvals, who waits for them, and counts of calls. In Redis where there is one, so
 * that all nodes share it; else in this process and a file beside the database. */
export type Approvals = Limits & {
  redis: RedisConnection | null
  approvals: ApprovalStore
  room: WaitingRoom
  deliveries: Deliveries
  close(): Promise<void>
}

type Place = Pick<ApiSettings, 'dataDir' | 'redisUrl'>

/** @throws DomainError unavailable: the Redis does not answer */
export async function openApprovals(
  place: Place,
  { source, log }: { source: Source; log: Logger },
): Promise<Approvals> {
  const now = () => source.now().getTime()
  const onError = (error: Error) => log.warn({ error: error.name }, 'redis')
  const redis = place.redisUrl === null ? null : await connect(place.redisUrl, onError)
  const approvals = redis
    ? await openRedisApprovalStore({ redis })
    : openSqliteApprovalStore({ path: join(place.dataDir, 'approvals.db'), now })
  const deliveries = new Deliveries(approvals, source)
  const close = async () => {
    await deliveries.settled()
    await approvals.close()
    redis?.close()
  }
  return {
    ...openRateLimits({ redis, now }),
    redis,
    approvals,
    room: new WaitingRoom(approvals),
    deliveries,
    close,
  }
}

// Loaded by those who need it alone: it is a good part of what a start costs.
async function connect(url: string, onError: (error: Error) => void): Promise<RedisConnection> {
  const { openRedis } = await import('./approval-store/redis-connection.ts')
  return openRedis(url, onError)
}
