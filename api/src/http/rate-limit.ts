import { RATES, TIMES } from '@keyferry/contract'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { DomainError } from '../domain/errors.ts'
import type { RateLimit, RateLimits, RateVerdict } from './handler.ts'

/** So much earlier than the polling interval a call may come: timers and networks are not exact. */
const POLL_TOLERANCE_MS = 50

/** One step: the window begins with the first call in it and no later call moves its end. Unlike the library's own
 * script it counts windows in milliseconds. KEYS[1] the counter, ARGV[1] calls, ARGV[4] the window in seconds. */
const COUNT = `
  redis.call('set', KEYS[1], 0, 'PX', math.floor(ARGV[4] * 1000), 'NX')
  local counted = redis.call('incrby', KEYS[1], ARGV[1])
  return { counted, redis.call('pttl', KEYS[1]) }`

/** Counters shared by all nodes. `reply` fails with DomainError unavailable when there is no answer. */
export type SharedCounters = {
  commands: object
  reply<T>(command: () => Promise<T>): Promise<T>
}

export type RateLimitOptions = {
  /** `null`: counted in this process alone. */
  redis: SharedCounters | null
  now: () => number
  prefix?: string
}

type LimitedEndpoint = 'createRequest' | 'waitForApproval' | 'logIn' | 'setUpAccount'

export type Limits = {
  /** By peer address, for the endpoints that have a rate. */
  rateLimits: Record<LimitedEndpoint, RateLimit> & RateLimits
  /** A request's turn to poll.
   * @throws RateExceeded: the last turn began less than the polling interval ago; that turn stays the last one */
  takeTurn: (requestId: string) => Promise<void>
}

/** A call too many, with what its answer tells about the limit. */
export class RateExceeded extends DomainError {
  readonly headers: Readonly<Record<string, string>>

  constructor(headers: Readonly<Record<string, string>>) {
    super('too_many', 'Too many requests')
    this.headers = headers
  }
}

type Rate = { calls: number; windowSeconds: number }
type Count = (key: string) => Promise<RateVerdict>

/** Every limit of the interface. Without its Redis a limited call fails rather than pass uncounted. */
export function openRateLimits(options: RateLimitOptions): Limits {
  const byAddress = (name: keyof typeof RATES) => {
    const count = counter(name, RATES[name], options)
    return ({ address }: { address: string }) => count(address)
  }
  const windowSeconds = TIMES.pollIntervalSeconds - POLL_TOLERANCE_MS / 1_000
  const turn = counter('poll', { calls: 1, windowSeconds }, options)
  return {
    rateLimits: {
      createRequest: byAddress('createRequest'),
      waitForApproval: byAddress('wait'),
      logIn: byAddress('login'),
      setUpAccount: byAddress('setup'),
    },
    takeTurn: async (requestId) => {
      const { allowed, headers } = await turn(requestId)
      if (!allowed) throw new RateExceeded(headers)
    },
  }
}

function counter(name: string, rate: Rate, { redis, now, prefix = 'keyferry:' }: RateLimitOptions): Count {
  const limits = { keyPrefix: `${prefix}rate:${name}`, points: rate.calls, duration: rate.windowSeconds }
  if (!redis) {
    const limiter = new RateLimiterMemory(limits)
    return async (key) => verdict(rate, await consume(limiter, key), now())
  }
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: redis.commands,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: COUNT,
  })
  return async (key) => verdict(rate, await redis.reply(() => consume(limiter, key)), now())
}

// The library rejects with the count itself when the limit is passed, and with an Error when it could not count.
async function consume(limiter: RateLimiterMemory | RateLimiterRedis, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key)
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal
    throw refusal
  }
}

function verdict(rate: Rate, counted: RateLimiterRes, nowMs: number): RateVerdict {
  const allowed = counted.consumedPoints <= rate.calls
  const headers = {
    'x-ratelimit-limit': String(rate.calls),
    'x-ratelimit-remaining': String(Math.max(rate.calls - counted.consumedPoints, 0)),
    'x-ratelimit-reset': String(Math.ceil((nowMs + counted.msBeforeNext) / 1_000)),
  }
  const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000))
  return { allowed, headers: allowed ? headers : { ...headers, 'retry-after': String(seconds) } }
}
