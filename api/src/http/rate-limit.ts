import { RATES, TIMES } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { z } from 'zod'
import { addressBlock, isIPv6Network } from '../domain/base/address-block.ts'
import { DomainError } from '../domain/base/errors.ts'
import { type CallCount, memoryCounter, redisCounter, type SharedRedis } from './counters.ts'
import type { RateLimit, RateLimits, RateVerdict } from './handler.ts'

/** A poll may come this much early, because timers and networks are not exact. */
const POLL_TOLERANCE_MS = 50

export type RateLimitOptions = {
  /** `null`: counts in this process only. */
  redis: SharedRedis | null
  now: () => number
  prefix?: string
  /** New approval requests of one network address; the interface's 10 unless given. */
  requestsPerMinute?: number
  /** People that unsigned calls of one network address create. */
  usersPerMinute?: number
}

type LimitedEndpoint =
  | 'createRequest'
  | 'waitForApproval'
  | 'forgetDevice'
  | 'waitForRememberedChange'
  | 'exportAudit'
  | 'reportTokens'

export type Limits = {
  /** By peer address, for endpoints with a rate. */
  rateLimits: Record<LimitedEndpoint, RateLimit> & RateLimits
  /** Counts a poll of a request.
   * @throws RateExceeded: the last poll began less than the polling interval ago; this call does not count */
  takeTurn: (requestId: string) => Promise<void>
  /** A limit of an optional module: counts a call under this key.
   * @throws RateExceeded */
  openLimit: (name: string, rate: Rate) => (key: string) => Promise<void>
  /** A limit of an optional module for an endpoint, which counts before anything else is checked. */
  openCount: (name: string, rate: Rate) => Limit
  /** Counts a person that an unsigned call of this address creates.
   * @throws RateExceeded */
  takeNewUser: (address: string) => Promise<void>
  /** Counts a call of a person that asks for a touch.
   * @throws RateExceeded */
  takeTouch: (userId: string) => Promise<void>
  /** Takes back the count of a request by this address that a remembered approval answered. `terminal`: its key. */
  uncountRequest: (address: string, terminal?: string) => Promise<void>
  /** Counts a deposit for the person who approves it, and no longer for the address that sent it.
   * @throws RateExceeded */
  takeDeposit: (userId: string, address: string) => Promise<void>
  /** Counts a release of a request.
   * @throws RateExceeded */
  takeRelease: (requestId: string) => Promise<void>
}

/** A call beyond its limit, with the headers that describe the limit. */
export class RateExceeded extends DomainError {
  readonly headers: Readonly<Record<string, string>>

  constructor(headers: Readonly<Record<string, string>>) {
    super('too_many', 'Too many requests')
    this.headers = headers
  }
}

type Rate = { calls: number; windowSeconds: number }
type Limit = (key: string, by?: 1 | -1) => Promise<RateVerdict>

// Each grows with the setting, so that the wide one stays the larger one.
function requestRate(options: RateLimitOptions, { calls, windowSeconds }: Rate): Rate {
  const usual = RATES.createRequest.calls
  return { calls: (calls / usual) * (options.requestsPerMinute ?? usual), windowSeconds }
}

/** Every limit of the interface. While Redis is unavailable, limited calls fail instead of passing uncounted. */
export function openRateLimits(options: RateLimitOptions): Limits {
  const byAddress = (name: keyof typeof RATES) => {
    const limit = openLimit(name, RATES[name], options)
    return ({ address }: { address: string }) => limit(addressBlock(address))
  }
  const createRequest = openLimit('createRequest', requestRate(options, RATES.createRequest), options)
  const createDeposit = openLimit('createDeposit', requestRate(options, RATES.createDeposit), options)
  const takeApproval = orExceeded(
    openLimit('approveDeposit', requestRate(options, RATES.approveDeposit), options),
  )
  const createRequestWide = openLimit(
    'createRequestWide',
    requestRate(options, RATES.createRequestWide),
    options,
  )
  const windowSeconds = TIMES.pollIntervalSeconds - POLL_TOLERANCE_MS / 1_000
  const newUsers = { ...RATES.createUser, calls: options.usersPerMinute ?? RATES.createUser.calls }
  const takeNewUser = orExceeded(openLimit('createUser', newUsers, options))
  return {
    rateLimits: {
      createRequest: async ({ address }, body) => {
        const { kind, device } = sentIn(body)
        const { own, wide: wider } = askedBy(address, device?.public_key)
        const narrow = await createRequest(own)
        if (!narrow.allowed) return narrow
        const wide = wider === null ? narrow : await createRequestWide(wider)
        if (!wide.allowed) return wide
        const deposit = kind === 'deposit' ? await createDeposit(addressBlock(address)) : narrow
        return deposit.allowed ? narrow : deposit
      },
      waitForApproval: byAddress('wait'),
      forgetDevice: byAddress('forgetDevice'),
      waitForRememberedChange: byAddress('waitForRememberedChange'),
      exportAudit: byAddress('exportAudit'),
      reportTokens: byAddress('reportTokens'),
    },
    takeTurn: orExceeded(openLimit('poll', { calls: 1, windowSeconds }, options)),
    uncountRequest: async (address, terminal) => {
      const { own, wide } = askedBy(address, terminal)
      await createRequest(own, -1)
      if (wide !== null) await createRequestWide(wide, -1)
    },
    takeDeposit: async (userId, address) => {
      await takeApproval(userId)
      await createDeposit(addressBlock(address), -1)
    },
    takeRelease: orExceeded(openLimit('release', RATES.release, options)),
    openLimit: (name, rate) => orExceeded(openLimit(name, rate, options)),
    openCount: (name, rate) => openLimit(name, rate, options),
    takeTouch: orExceeded(openLimit('touch', RATES.touch, options)),
    takeNewUser: (address) => takeNewUser(addressBlock(address, 48)),
  }
}

// In an office, each terminal that has a key counts by itself, and all of them count for the address too: made-up keys
// cost nothing.
function askedBy(address: string, terminal?: string): { own: string; wide: string | null } {
  const block = addressBlock(address)
  const isWide = terminal !== undefined || isIPv6Network(address)
  const own = terminal === undefined ? block : `${block} ${hashToken(terminal)}`
  return { own, wide: isWide ? addressBlock(address, 48) : null }
}

function orExceeded(limit: Limit): (key: string) => Promise<void> {
  return async (key) => {
    const { allowed, headers } = await limit(key)
    if (!allowed) throw new RateExceeded(headers)
  }
}

const Sent = z.object({
  kind: z.string().catch(''),
  device: z.object({ public_key: z.string() }).optional().catch(undefined),
})

// A malformed body is refused later, by its schema.
function sentIn(body: Uint8Array): z.output<typeof Sent> {
  try {
    return Sent.parse(JSON.parse(Buffer.from(body).toString('utf8')))
  } catch {
    return Sent.parse({})
  }
}

function openLimit(name: string, rate: Rate, { redis, now, prefix = 'keyferry:' }: RateLimitOptions): Limit {
  const windowMs = Math.round(rate.windowSeconds * 1_000)
  const count = redis ? redisCounter(redis, `${prefix}rate:${name}:`, windowMs) : memoryCounter(windowMs, now)
  return async (key, by) => verdict(rate, await count(key, by), now())
}

function verdict(rate: Rate, { calls, msLeft }: CallCount, nowMs: number): RateVerdict {
  const allowed = calls <= rate.calls
  const headers = {
    'x-ratelimit-limit': String(rate.calls),
    'x-ratelimit-remaining': String(Math.max(rate.calls - calls, 0)),
    'x-ratelimit-reset': String(Math.ceil((nowMs + msLeft) / 1_000)),
  }
  const seconds = Math.max(1, Math.ceil(msLeft / 1_000))
  return { allowed, headers: allowed ? headers : { ...headers, 'retry-after': String(seconds) } }
}
