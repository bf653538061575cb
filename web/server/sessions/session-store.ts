import { TIMES } from '@keyferry/contract'
import { z } from 'zod'

/** A signed-in browser, stored as JSON. Times are epoch milliseconds. */
export const StoredSession = z.object({
  /** SHA-256 of the cookie's token. The token itself is never stored. */
  tokenHash: z.string(),
  /** The id that ensure-user knows the person by. */
  idpUserId: z.string(),
  /** How the person signed in. */
  way: z.string(),
  userId: z.string(),
  personalTenantId: z.string(),
  /** The current tenant. */
  tenantId: z.string(),
  /** The session at the provider, if the provider names one. */
  providerSessionId: z.string().nullable(),
  /** Sent to the provider at sign-out. */
  idToken: z.string().nullable(),
  userAgent: z.string(),
  /** The person's epoch at the API when the sign-in began. The session counts only in this one. */
  epoch: z.number(),
  createdAtMs: z.number(),
  /** When the person last showed the identity provider who they are, if it says so; else they did as this session was
   * created. */
  provedAtMs: z.number().optional(),
  lastSeenAtMs: z.number(),
})

export type Session = z.infer<typeof StoredSession>

/** Whose sessions end: all of a person, or those of one session at the provider. `beforeMs`: only sessions created
 * earlier, so that an old event cannot end a newer session. */
export type SessionFilter = { idpUserId: string; beforeMs?: number } | { providerSessionId: string }

/** How long a session lives without use, and at most. */
export type SessionTimes = { idleMs: number; maxMs: number }

export const USUAL_TIMES: SessionTimes = {
  idleMs: TIMES.sessionIdleSeconds * 1_000,
  maxMs: TIMES.sessionMaxSeconds * 1_000,
}

/** Write a session's last use no more often than this. */
const TOUCH_MS = 30_000

/**
 * Keeps sessions until they end, are idle too long, or are too old. Each method is one atomic step across all nodes
 * that share the store. `nowMs` is the caller's clock, in epoch milliseconds.
 *
 * Every method throws Refusal unavailable while the store is unreachable, and works again once it is reachable.
 */
export interface SessionStore {
  create(session: Session): Promise<void>
  /** An active session, whose idle time starts again; null: none. `renews: false`: its idle time goes on. */
  find(tokenHash: string, nowMs: number, renews?: boolean): Promise<Session | null>
  chooseTenant(tokenHash: string, tenantId: string): Promise<void>
  remove(tokenHash: string): Promise<void>
  removeAll(ending: SessionFilter): Promise<void>
  /** The person's active sessions, the most recently used first. */
  list(idpUserId: string, nowMs: number): Promise<Session[]>
  /** True for exactly one caller per id, until `untilMs`. */
  firstUse(id: string, untilMs: number, nowMs: number): Promise<boolean>
  isUsed(id: string, nowMs: number): Promise<boolean>
  /** Allow an id again. */
  forgetUse(id: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

type SingleUse = { id: string; forMs: number; nowMs: number }

/** Do work that an id allows once; where the work fails, the id is allowed again.
 * @returns false: another caller used the id */
export async function doOnce(
  store: SessionStore,
  { id, forMs, nowMs }: SingleUse,
  work: () => Promise<void>,
): Promise<boolean> {
  if (!(await store.firstUse(id, nowMs + forMs, nowMs))) return false
  try {
    await work()
    return true
  } catch (error) {
    await store.forgetUse(id)
    throw error
  }
}

/** When the session ends if it is not used again. */
export function sessionEndMs(
  { createdAtMs, lastSeenAtMs }: Session,
  { idleMs, maxMs }: SessionTimes,
): number {
  return Math.min(createdAtMs + maxMs, lastSeenAtMs + idleMs)
}

/** Judged at each use, so that shorter times end sessions that began before. */
export function isActive(session: Session, nowMs: number, times: SessionTimes): boolean {
  return session.createdAtMs <= nowMs + TIMES.aheadSeconds * 1_000 && sessionEndMs(session, times) > nowMs
}

/** Whether to write the last use: it is old, or of a clock that was ahead. */
export function isStale({ lastSeenAtMs }: Session, nowMs: number): boolean {
  return Math.abs(nowMs - lastSeenAtMs) >= TOUCH_MS
}
