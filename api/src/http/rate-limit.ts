import { RATES, TIMES } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { addressBlock, isIPv6Network } from '../domain/base/address-block.ts'
import { emailKey } from '../domain/base/email.ts'
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
  | 'logIn'
  | 'logInWithPasskey'
  | 'setUpAccount'
  | 'exportAudit'
  | 'reportTokens'

export type Limits = {
  /** By peer address, for endpoints with a rate. */
  rateLimits: Record<LimitedEndpoint, RateLimit> & RateLimits
  /** Counts a poll of a request.
   * @throws RateExceeded: the last poll began less than the polling interval ago; this call does not count */
  takeTurn: (requestId: string) => Promise<void>
  /** Counts a delivery of a machine.
   * @throws RateExceeded */
  takeDelivery: (machineId: string) => Promise<void>
  /** Counts a machine's wait for changed values.
   * @throws RateExceeded */
  takeWatch: (machineId: string) => Promise<void>
  /** Counts a person that an unsigned call of this address creates.
   * @throws RateExceeded */
  takeNewUser: (address: string) => Promise<void>
  /** Counts a refused call with a bearer token, by address.
   * @throws RateExceeded: so many that the caller gets no reason */
  countRefusal: (address: string) => Promise<void>
  /** Counts a call of a person that asks for a touch.
   * @throws RateExceeded */
  takeTouch: (userId: string) => Promise<void>
  /** Takes back the count of a request by this address that a remembered approval answered. */
  uncountRequest: (address: string) => Promise<void>
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
  const takeRefusal = orExceeded(openLimit('machineRefusal', RATES.machineRefusal, options))
  return {
    rateLimits: {
      createRequest: async (peer, body) => {
        const narrow = await createRequest(addressBlock(peer.address))
        if (!narrow.allowed) return narrow
        const isWide = isIPv6Network(peer.address)
        const wide = isWide ? await createRequestWide(addressBlock(peer.address, 48)) : narrow
        if (!wide.allowed) return wide
        const deposit =
          fieldOf(body, 'kind') === 'deposit' ? await createDeposit(addressBlock(peer.address)) : narrow
        return deposit.allowed ? narrow : deposit
      },
      waitForApproval: byAddress('wait'),
      forgetDevice: byAddress('forgetDevice'),
      waitForRememberedChange: byAddress('waitForRememberedChange'),
      logIn: byAddressAndEmail(options),
      logInWithPasskey: byAddress('passkeyLogin'),
      setUpAccount: byAddress('setup'),
      exportAudit: byAddress('exportAudit'),
      reportTokens: byAddress('reportTokens'),
    },
    takeTurn: orExceeded(openLimit('poll', { calls: 1, windowSeconds }, options)),
    uncountRequest: async (address) => {
      await createRequest(addressBlock(address), -1)
      if (isIPv6Network(address)) await createRequestWide(addressBlock(address, 48), -1)
    },
    takeDeposit: async (userId, address) => {
      await takeApproval(userId)
      await createDeposit(addressBlock(address), -1)
    },
    takeRelease: orExceeded(openLimit('release', RATES.release, options)),
    takeDelivery: orExceeded(openLimit('machineDelivery', RATES.machineDelivery, options)),
    takeTouch: orExceeded(openLimit('touch', RATES.touch, options)),
    takeWatch: orExceeded(openLimit('machineWait', RATES.machineWait, options)),
    takeNewUser: (address) => takeNewUser(addressBlock(address, 48)),
    countRefusal: (address) => takeRefusal(addressBlock(address)),
  }
}

function orExceeded(limit: Limit): (key: string) => Promise<void> {
  return async (key) => {
    const { allowed, headers } = await limit(key)
    if (!allowed) throw new RateExceeded(headers)
  }
}

/** Five of one address with one e-mail; many people may sign in from one address. */
function byAddressAndEmail(options: RateLimitOptions): RateLimit {
  const ofAddress = openLimit('loginOfAddress', RATES.loginOfAddress, options)
  const ofPair = openLimit('login', RATES.login, options)
  return async ({ address }, body) => {
    const block = addressBlock(address)
    const wide = await ofAddress(block)
    return wide.allowed ? await ofPair(`${block} ${hashToken(emailKey(fieldOf(body, 'email')))}`) : wide
  }
}

// A malformed body is refused later, by its schema.
function fieldOf(body: Uint8Array, field: 'email' | 'kind'): string {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    const text = new Map(Object.entries(value ?? {})).get(field)
    return typeof text === 'string' ? text : ''
  } catch {
    return ''
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
