import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { randomId, randomToken } from '@keyferry/crypto/token'
import { failureFacts } from '@keyferry/plumbing/failure'
import type { Logger } from 'pino'
import { createMemoryNonces, createSharedNonces, type NonceStore } from './auth/nonces.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { Watchers } from './domain/collection/changed-values.ts'
import { Deliveries } from './domain/endings/request-deliveries.ts'
import type { RequestParts } from './domain/requests/request.ts'
import type { RequestStore } from './domain/requests/request-store.ts'
import { WaitingRoom } from './domain/requests/waiting-room.ts'
import { type Limits, openRateLimits } from './http/rate-limit.ts'
import { type ChangeNotices, openChangeNotices } from './request-store/change-notices.ts'
import { openRedisRequestStore } from './request-store/redis.ts'
import type { RedisConnection } from './request-store/redis-connection.ts'
import { openSqliteRequestStore } from './request-store/sqlite.ts'
import type { ApiSettings } from './settings.ts'
import { emptyLog } from './storage/maintenance/write-ahead-log.ts'

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

type Rates = Pick<ApiSettings, 'requestsPerMinute' | 'usersPerMinute'>

type ShortLivedOptions = {
  clock: ClockAndIds
  log: Logger
  aroundRequests?: (requests: RequestStore) => RequestStore
}

/** @throws DomainError unavailable: Redis does not answer */
export async function openShortLived(
  settings: Pick<
    ApiSettings,
    'dataDir' | 'redisUrl' | keyof Rates | 'maxLiveRequests' | 'maxWaitingDepositBytes'
  >,
  { clock, log, aroundRequests }: ShortLivedOptions,
): Promise<ShortLived> {
  const { maxLiveRequests: maxLive, maxWaitingDepositBytes: maxBoxBytes } = settings
  const { requestsPerMinute, usersPerMinute } = settings
  const now = () => clock.now().getTime()
  const onError = (error: Error) => log.warn(failureFacts(error), 'redis')
  const url = () => settings.redisUrl ?? ''
  const opened = await openRequests({ ...settings, maxLive, maxBoxBytes }, { now, onError, url })
  const { redis } = opened
  for (const warning of redis?.warnings ?? []) log.warn(warning)
  const requests = aroundRequests?.(opened.requests) ?? opened.requests
  const changes = await openChangeNotices({ redis })
  const deliveries = new Deliveries(requests, clock)
  const close = async () => {
    await deliveries.settled()
    await changes.close()
    await opened.close()
  }
  return {
    ...openRateLimits({ redis, now, requestsPerMinute, usersPerMinute }),
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

type RequestPlace = Pick<ApiSettings, 'redisUrl' | 'dataDir'> & { maxLive?: number; maxBoxBytes?: number }

/** Work with the request store of the servers, which can be running. A file then holds nothing that was deleted.
 * @returns null: there is none at this place */
export async function withRequests<T>(
  place: RequestPlace,
  work: (parts: RequestParts) => Promise<T>,
): Promise<T | null> {
  if (place.redisUrl === null && !existsSync(requestsFile(place))) return null
  const clock = { now: () => new Date(), newId: randomId, newToken: randomToken }
  const { requests, close } = await openRequests(place, { now: Date.now, onError: () => undefined })
  try {
    const done = await work({ requests, clock })
    if (place.redisUrl === null) await emptyLog(requestsFile(place))
    return done
  } finally {
    await close()
  }
}

async function openRequests(
  place: RequestPlace,
  { now, onError, url }: { now: () => number; onError: (error: Error) => void; url?: () => string },
): Promise<Pick<ShortLived, 'redis' | 'requests' | 'close'>> {
  const redis = place.redisUrl === null ? null : await connect(url ?? place.redisUrl, onError)
  const requests = redis
    ? await openRedisRequestStore({ ...place, redis })
    : openSqliteRequestStore({ ...place, path: requestsFile(place), now })
  const close = async () => {
    await requests.close()
    redis?.close()
  }
  return { redis, requests, close }
}

function requestsFile({ dataDir }: Pick<ApiSettings, 'dataDir'>): string {
  return join(dataDir, 'requests.db')
}

// Loaded only when needed, because it takes a large part of the start time.
async function connect(url: string | (() => string), onError: (error: Error) => void) {
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
