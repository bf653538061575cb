import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Guard } from '../../outgoing/guard.ts'
import { guardedGet } from '../../outgoing/guarded-call.ts'
import type { KeySet } from '../domain/id-token.ts'

/*
 * The keys of issuers, by discovery: the document at the issuer's well-known address names the issuer itself,
 * character by character, and where the keys are. Keys are kept for ten minutes. A token with an unknown key has them
 * fetched again, at most every 30 seconds, because issuers rotate keys. When an issuer fails, its old keys serve for
 * an hour more.
 */

const FRESH_MS = 10 * 60_000
const COOLDOWN_MS = 30_000
const STALE_MS = FRESH_MS + 60 * 60_000
const CALL = { timeoutMs: 5_000, maxBytes: 256 * 1_024 }
/** Issuers that are kept; the one that was fetched first leaves. */
const KEPT = 1_000

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() })
const Keys = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(200) })

type FetchedKeys = { keys: KeySet; fetchedMs: number; triedMs: number }

export class IssuerKeys {
  readonly #guard: Guard
  readonly #nowMs: () => number
  readonly #log: Logger
  readonly #known = new BoundedMap<string, FetchedKeys>(KEPT)
  readonly #running = new Map<string, Promise<FetchedKeys | null>>()

  constructor({ guard, nowMs, log }: { guard: Guard; nowMs: () => number; log: Logger }) {
    this.#guard = guard
    this.#nowMs = nowMs
    this.#log = log
  }

  /** @returns null when the issuer gives no keys and none are kept */
  async of(issuer: string): Promise<KeySet | null> {
    const known = this.#known.get(issuer)
    if (known && this.#age(known) < FRESH_MS) return known.keys
    if (known && this.#nowMs() - known.triedMs < COOLDOWN_MS) return this.#usable(known)
    return this.#usable((await this.#fetchOnce(issuer)) ?? known)
  }

  /** The keys after another look at the issuer, for a token whose key is not among them; null if it is too early for
   * one. */
  async again(issuer: string): Promise<KeySet | null> {
    const known = this.#known.get(issuer)
    if (known && this.#nowMs() - known.triedMs < COOLDOWN_MS) return null
    return (await this.#fetchOnce(issuer))?.keys ?? null
  }

  #age({ fetchedMs }: FetchedKeys): number {
    return this.#nowMs() - fetchedMs
  }

  #usable(known: FetchedKeys | undefined): KeySet | null {
    return known && this.#age(known) < STALE_MS ? known.keys : null
  }

  // Calls that come at once share one fetch.
  #fetchOnce(issuer: string): Promise<FetchedKeys | null> {
    const running = this.#running.get(issuer)
    if (running) return running
    const fetching = this.#fetch(issuer).finally(() => this.#running.delete(issuer))
    this.#running.set(issuer, fetching)
    return fetching
  }

  async #fetch(issuer: string): Promise<FetchedKeys | null> {
    const old = this.#known.get(issuer)
    if (old) old.triedMs = this.#nowMs()
    try {
      const keys = await this.#discover(issuer)
      const known = { keys, fetchedMs: this.#nowMs(), triedMs: this.#nowMs() }
      this.#known.set(issuer, known)
      return known
    } catch (error) {
      this.#log.warn({ issuer, error: error instanceof Error ? error.message : 'unknown' }, 'issuer keys')
      return null
    }
  }

  async #discover(issuer: string): Promise<KeySet> {
    const document = await this.#json(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      Discovery,
    )
    if (document.issuer !== issuer) throw new Error('the discovery document names another issuer')
    return this.#json(document.jwks_uri, Keys)
  }

  async #json<T>(url: string, schema: z.ZodType<T>): Promise<T> {
    const { status, body } = await guardedGet(this.#guard, { ...CALL, url })
    if (status !== 200) throw new Error(`status ${status}`)
    return schema.parse(JSON.parse(body))
  }
}
