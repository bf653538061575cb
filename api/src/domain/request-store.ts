import { FORMATS } from '@keyferry/contract'
import { z } from 'zod'

/** Who asks: what the server saw (the named fields) and what the client claims about itself (any other). */
const StoredRequesterMeta = z
  .object({
    ip: z.string(),
    user_agent: z.string(),
    requested_at: z.string(),
    format: z.enum(FORMATS),
  })
  .catchall(z.string())

export type RequesterMeta = z.infer<typeof StoredRequesterMeta>

/** A request as it is stored, without its state. Plain JSON; read back through this schema. */
export const ApprovalRequest = z.object({
  id: z.string(),
  /** Standard base64 of the client's 32 bytes. */
  publicKey: z.string(),
  /** A bundle's id or name, as the client gave it. */
  suggestedBundle: z.string().nullable(),
  /** A tenant's id or name, as the client gave it. */
  suggestedWorkspace: z.string().nullable(),
  templateKeys: z.array(z.string()),
  requesterMeta: StoredRequesterMeta,
  /** With a challenge, only the client that knows its verifier may wait. */
  pollChallenge: z.string().nullable(),
  /** Epoch milliseconds. */
  expiresAtMs: z.number(),
})

export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** `ready` until the ciphertext is gone for good, claimed or not. */
export type StoredRequest = { request: ApprovalRequest; status: 'pending' | 'ready' | Ended }

/** How a request can end before its lifetime does; its marker stays until then. */
export const ENDED_STATES = ['denied', 'withdrawn'] as const

export type Ended = (typeof ENDED_STATES)[number]

/** How long a store remembers the id of a request whose lifetime ended. */
export const EXPIRED_KNOWN_MS = 15 * 60 * 1_000

const Named = z.object({ id: z.string(), name: z.string() })

/** Who approved, and what from; plain JSON. */
export const Approval = z.object({
  approverId: z.string(),
  tenant: Named,
  bundle: Named,
  /** Required keys of the bundle that the approver left out. */
  missingRequired: z.array(z.string()),
  deliveryId: z.string(),
  /** The version of each delivered value that has versions, by its delivered name. */
  versions: z.array(z.object({ name: z.string(), version: z.number() })),
  /** Names of delivered values that had expired. */
  expired: z.array(z.string()),
})

export type Approval = z.infer<typeof Approval>

/** What an approval adds; `approval` is null for a ciphertext stored without a sign-in. */
export type Sealed = { ciphertextBase64: string; approval: Approval | null }

/** The result of an attempt to seal, deny or withdraw; `gone`: unknown, expired or delivered. */
export type Settled = 'done' | 'ready' | Ended | 'gone'

/** The result of a claim. `taken`: another caller holds the claim and may still release it. */
export type Claim = ({ status: 'claimed' } & Sealed) | { status: 'pending' | 'taken' | Ended | 'gone' }

/**
 * Keeps approval requests until they are delivered or their lifetime ends. Each method is one atomic step, over all
 * nodes that share the store; an expired request is gone for every one of them. Times are epoch milliseconds.
 *
 * At most one delivery: a claim is never given twice unless it was released in between. A process that dies between
 * claim and removal may have handed the ciphertext over, so its claim stands until the lifetime ends.
 *
 * Every method throws DomainError unavailable while the store cannot be reached, and works again once it can.
 */
export interface RequestStore {
  /** False when the store holds as many live requests as it may. */
  create(request: ApprovalRequest, nowMs: number): Promise<boolean>
  find(id: string, nowMs: number): Promise<StoredRequest | null>
  /** Whether a request's lifetime ended before it was delivered. Remembered for `EXPIRED_KNOWN_MS` after that; the rest of
   * the request is gone. */
  hasExpired(id: string, nowMs: number): Promise<boolean>
  /** From pending to ready. `done` for exactly one of any number of callers. */
  seal(id: string, sealed: Sealed, nowMs: number): Promise<Settled>
  /** From pending to denied; the marker stays until the lifetime would have ended. */
  deny(id: string, nowMs: number): Promise<Settled>
  /** From pending, ready or claimed to withdrawn; the ciphertext is gone at once, and a claim cannot bring it back. */
  withdraw(id: string, nowMs: number): Promise<Settled>
  /** Counts a wrong check code; the one that reaches `limit` denies the request.
   * @returns how many attempts are left; 0 too when the request is not pending */
  countWrongCode(id: string, limit: number, nowMs: number): Promise<number>
  claim(id: string, nowMs: number): Promise<Claim>
  /** Gives a claim back. */
  release(id: string, nowMs: number): Promise<void>
  remove(id: string): Promise<void>
  /** Removes this user's approvals that no client has claimed: in one tenant, or in all. */
  removeApprovedBy(approver: { userId: string; tenantId: string | null }, nowMs: number): Promise<void>
  /** Calls `listener` after each seal, deny, withdrawal, release and removal of the request, on whichever node it
   * happened. A call may come without a change, and one may be missed while the store is unreachable: after a call, and
   * at the end of the wait, read the store again.
   * @returns ends the watch */
  watch(id: string, listener: () => void): () => void
  /** @throws DomainError unavailable */
  ping(): Promise<void>
  close(): Promise<void>
}
