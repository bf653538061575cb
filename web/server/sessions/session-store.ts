import { TIMES } from '@keyferry/contract'
import { z } from 'zod'

/** A signed-in browser. Plain JSON; read back through this schema. Times are epoch milliseconds. */
export const StoredSession = z.object({
  /** SHA-256 of the cookie's token, which is stored nowhere. */
  tokenHash: z.string(),
  /** The id that ensure-user knows the person by. */
  idpUserId: z.string(),
  userId: z.string(),
  personalTenantId: z.string(),
  /** The tenant worked in. */
  tenantId: z.string(),
  /** The provider's own session, when it names one. */
  providerSessionId: z.string().nullable(),
  /** Told to the provider at sign-out. */
  idToken: z.string().nullable(),
  userAgent: z.string(),
  createdAtMs: z.number(),
  lastSeenAtMs: z.number(),
})

export type Session = z.infer<typeof StoredSession>

/** Whose sessions end: all of a person, or those of one session at the provider. `beforeMs`: only sessions created
 * earlier, so that an old order cannot end a newer session. */
export type Ending = { idpUserId: string; beforeMs?: number } | { providerSessionId: string }

const IDLE_MS = TIMES.sessionIdleSeconds * 1_000
const MAX_MS = TIMES.sessionMaxSeconds * 1_000

/** A session's last use is written down no more often than this. */
export const TOUCH_MS = 30_000

/**
 * Keeps sessions until they are ended, idle too long, or too old. Each method is one atomic step over all nodes that
 * share the store; `nowMs` is the caller's clock, in epoch milliseconds.
 *
 * Every method throws Refusal unavailable while the store cannot be reached, and works again once it can.
 */
export interface SessionStore {
  create(session: Session): Promise<void>
  /** A living session, which this call keeps alive; null when there is none. */
  find(tokenHash: string, nowMs: number): Promise<Session | null>
  chooseTenant(tokenHash: string, tenantId: string): Promise<void>
  remove(tokenHash: string): Promise<void>
  removeAll(ending: Ending): Promise<void>
  /** The person's living sessions, the most recently used first. */
  list(idpUserId: string, nowMs: number): Promise<Session[]>
  /** True for exactly one caller of an id, until `untilMs`. */
  firstUse(id: string, untilMs: number, nowMs: number): Promise<boolean>
  isUsed(id: string, nowMs: number): Promise<boolean>
  /** Let an id be used again: what it was used for failed. */
  forgetUse(id: string): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

/** Until when the session lives if it is not used again. */
export function sessionEndMs({ createdAtMs, lastSeenAtMs }: Session): number {
  return Math.min(createdAtMs + MAX_MS, lastSeenAtMs + IDLE_MS)
}
