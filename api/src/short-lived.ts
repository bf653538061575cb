import { failureFacts } from '@keyferry/plumbing/failure'
import type { Logger } from 'pino'
import { createMemoryNonces, createSharedNonces, type NonceStore } from './auth/nonces.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { Watchers } from './domain/collection/changed-values.ts'
import { WaitingRoom } from './domain/requests/waiting-room.ts'
import { type Limits, openRateLimits } from './http/rate-limit.ts'
import { type ChangeNotices, openChangeNotices } from './request-store/change-notices.ts'
import type { NoticeRedis } from './request-store/redis-connection.ts'
import { openRequestNotices, type RequestNotices } from './request-store/request-notices.ts'
import type { ApiSettings } from './settings.ts'

/** State of the last minutes: waiting callers, call counts, notices. With Redis all nodes share it; without, it is in
 * this process. All of it may be lost. */
export type ShortLived = Limits & {
  redis: NoticeRedis | null
  /** Wakes the calls that wait for a changed request. */
  notices: RequestNotices
  room: WaitingRoom
  /** Wakes the calls that wait for changed values. */
  changes: ChangeNotices
  changeRoom: WaitingRoom
  watchers: Watchers
  close(): Promise<void>
}

type ShortLivedOptions = { clock: ClockAndIds; log: Logger }

/** @throws DomainError unavailable: Redis does not answer */
export async function openShortLived(
  settings: Pick<ApiSettings, 'redisUrl' | 'requestsPerMinute' | 'usersPerMinute'>,
  { clock, log }: ShortLivedOptions,
): Promise<ShortLived> {
  const { requestsPerMinute, usersPerMinute } = settings
  const now = () => clock.now().getTime()
  const onError = (error: Error) => log.warn(failureFacts(error), 'redis')
  const url = () => settings.redisUrl ?? ''
  const redis = settings.redisUrl === null ? null : await connect(url, onError)
  for (const warning of redis?.warnings ?? []) log.warn(warning)
  const [changes, notices] = [await openChangeNotices({ redis }), await openRequestNotices({ redis })]
  return {
    ...openRateLimits({ redis, now, requestsPerMinute, usersPerMinute }),
    redis,
    notices,
    room: new WaitingRoom(notices),
    changes,
    changeRoom: new WaitingRoom(changes),
    watchers: new Watchers(),
    close: () => notices.close().then(() => redis?.close()),
  }
}

/** Work beside servers that run: those that share a Redis learn of each changed request at once.
 * @throws DomainError unavailable: Redis does not answer */
export async function withRequestNotices<T>(
  redisUrl: string | null,
  work: (notices: RequestNotices) => Promise<T>,
): Promise<T> {
  const redis = redisUrl === null ? null : await connect(redisUrl, () => undefined)
  const notices = await openRequestNotices({ redis })
  try {
    return await work(notices)
  } finally {
    await notices.close()
    redis?.close()
  }
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
