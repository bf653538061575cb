import { ACCOUNT_TIMES } from '@keyferry/contract/accounts/limits'
import { passkeyChallenge } from '@keyferry/crypto/passkey-challenge'
import { randomToken } from '@keyferry/crypto/token'
import type { FastifyReply } from 'fastify'
import { clearCookie, cookieValues, ownCookie, setCookie } from '../../cookies.ts'
import type { OwnExchange } from '../../http/own-endpoints.ts'
import { Refusal } from '../../http/refusal.ts'
import type { SessionStore } from '../../sessions/session-store.ts'

/** What a challenge is for. `session`: the hash of the session that adds a passkey. `userId`: whose password was
 * right. */
export type ChallengeUse =
  | { use: 'add'; session: string }
  | { use: 'alone' }
  | { use: 'after-password'; userId: string }

export type PasskeyChallengesOptions = {
  store: SessionStore
  /** Epoch milliseconds. */
  now: () => number
  /** The shared secret: all nodes derive the same challenges. */
  secret: string
  isSecure: boolean
}

const MAX_MS = ACCOUNT_TIMES.passkeyChallengeSeconds * 1_000

/** Challenges for passkeys. Each derives from a secret of the servers and from a random token in a cookie of the
 * browser that asked, so that any node can finish what another one began, and only in that browser. The session store
 * contains what was used, so that no challenge counts twice. */
export class PasskeyChallenges {
  readonly #options: PasskeyChallengesOptions

  constructor(options: PasskeyChallengesOptions) {
    this.#options = options
  }

  /** @returns the challenge, base64url; its cookie goes with the reply */
  begin(reply: FastifyReply, wanted: ChallengeUse): string {
    const userId = wanted.use === 'after-password' ? wanted.userId : ''
    const value = [this.#options.now(), randomToken(), wanted.use, userId].join('.')
    const maxAgeSeconds = ACCOUNT_TIMES.passkeyChallengeSeconds
    setCookie(reply, { name: this.#cookie, value, maxAgeSeconds, isSecure: this.#options.isSecure })
    return this.#challenge(value, wanted.use === 'add' ? wanted.session : '')
  }

  /** End the challenge that adds a passkey to the account of this session.
   * @throws Refusal conflict: this browser has no such challenge, or it is too old or used */
  async endAdding(exchange: OwnExchange, session: string): Promise<string> {
    const { value, use } = this.#take(exchange)
    if (use !== 'add') throw stale()
    return await this.#spend(value, session)
  }

  /** End the challenge of a sign-in.
   * @returns the challenge, and whose password was right before; null: the passkey is used alone
   * @throws Refusal conflict: this browser has no such challenge, or it is too old or used */
  async endSignIn(exchange: OwnExchange): Promise<{ challenge: string; userId: string | null }> {
    const { value, use, userId } = this.#take(exchange)
    if (use !== 'alone' && use !== 'after-password') throw stale()
    return { challenge: await this.#spend(value, ''), userId: use === 'alone' ? null : userId }
  }

  #take({ request, reply }: OwnExchange): { value: string; use: string; userId: string } {
    const [value, ...more] = cookieValues(request, this.#cookie)
    clearCookie(reply, { name: this.#cookie, isSecure: this.#options.isSecure })
    if (value === undefined || more.length > 0) throw stale()
    const [, , use = '', userId = ''] = value.split('.')
    return { value, use, userId }
  }

  async #spend(value: string, session: string): Promise<string> {
    const nowMs = this.#options.now()
    const endsAtMs = Number(value.split('.', 1)[0]) + MAX_MS
    const challenge = this.#challenge(value, session)
    const isFresh = endsAtMs > nowMs && endsAtMs <= nowMs + 2 * MAX_MS
    if (!isFresh || !(await this.#options.store.firstUse(`passkey:${challenge}`, endsAtMs, nowMs)))
      throw stale()
    return challenge
  }

  #challenge(value: string, session: string): string {
    return passkeyChallenge([value, session], this.#options.secret)
  }

  get #cookie(): string {
    return ownCookie('keyferry-passkey', this.#options.isSecure)
  }
}

function stale(): Refusal {
  return new Refusal(409, 'conflict', 'that took too long, or another window asked too: try again')
}
