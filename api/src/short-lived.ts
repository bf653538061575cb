import { join } from 'node:path'
import type { Logger } from 'pino'
import { createMemoryNonces, createSharedNonces, type NonceStore } from './auth/nonces.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { Watchers } from './domain/collection/changed-values.ts'
import { Deliveries } from './domain/endings/request-deliveries.ts'
import type { RequestStore } from './domain/requests/request-store.ts'
import { WaitingRoom } from './domain/requests/waiting-room.ts'
import { type Limits, openRateLimits } from './http/rate-limit.ts'
import { type ChangeNotices, openChangeNotices } from './request-store/change-notices.ts'
import { openRedisRequestStore } from './request-store/redis.ts'
import type { RedisConnection } from './request-store/redis-connection.ts'
import { openSqliteRequestStore } from './request-store/sqlite.ts'
import type { ApiSettings } from './settings.ts'

/** State of the last minutes: requests, held callers, call counts. With Redis all nodes share it; without, it is in
 * this process and a file beside the database. */
export type ShortLived = Limits & {
  redis: RedisConnection | null
  requests: RequestStore
  room: WaitingRoom
  /** Tells of changed values, and holds who waits for them. */
  changes: ChangeNotices
  changeRoom: WaitingRoom
  watchers: Watchers
  deliveries: Deliveries
  close(): Promise<void>
}

type ShortLivedOptions = {
  clock: ClockAndIds
  log: Logger
  aroundRequests?: (requests: RequestStore) => RequestStore
}

/** @throws DomainError unavailable: Redis does not answer */
export async function openShortLived(
  settings: Pick<
    ApiSettings,
    'dataDir' | 'redisUrl' | 'requestsPerMinute' | 'maxLiveRequests' | 'maxWaitingDepositBytes'
  >,
  { clock, log, aroundRequests }: ShortLivedOptions,
): Promise<ShortLived> {
  const { maxLiveRequests: maxLive, maxWaitingDepositBytes: maxBoxBytes } = settings
  const now = () => clock.now().getTime()
  const onError = (error: Error) => log.warn({ error: error.name }, 'redis')
  const redis = settings.redisUrl === null ? null : await connect(settings.redisUrl, onError)
  const opened = redis
    ? await openRedisRequestStore({ redis, maxLive, maxBoxBytes })
    : openSqliteRequestStore({ path: join(settings.dataDir, 'requests.db'), now, maxLive, maxBoxBytes })
  const requests = aroundRequests?.(opened) ?? opened
  const changes = await openChangeNotices({ redis })
  const deliveries = new Deliveries(requests, clock)
  const close = async () => {
    await deliveries.settled()
    await changes.close()
    await requests.close()
    redis?.close()
  }
  return {
    ...openRateLimits({ redis, now, requestsPerMinute: settings.requestsPerMinute }),
    redis,
    requests,
    room: new WaitingRoom(requests),
    changes,
    changeRoom: new WaitingRoom(changes),
    watchers: new Watchers(),
    deliveries,
    close,
  }
}

// Loaded only when needed, because it takes a large part of the start time.
async function connect(url: string, onError: (error: Error) => void): Promise<RedisConnection> {
  const { openRedis } = await import('./request-store/redis-connection.ts')
  return openRedis(url, onError)
}

/** The nonces of signed calls: shared by all nodes where there is Redis. */
export function noncesOf({ redis }: ShortLived, clock: ClockAndIds): NonceStore {
  if (!redis) return createMemoryNonces(() => clock.now().getTime())
  return createSharedNonces(async (name, seconds) => {
    const kept = { condition: 'NX', expiration: { type: 'EX', value: seconds } } as const
    return (await redis.reply((client) => client.set(name, '1', kept))) === 'OK'
  })
}
