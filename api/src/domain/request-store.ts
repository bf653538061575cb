import { FORMATS, RELEASES, Receipt, type ReleaseWay } from '@keyferry/contract'
import { z } from 'zod'
import { GrantDraft } from './grant-draft.ts'

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
  /** The ways in which the client can take an approval back. */
  release: z.array(z.enum(RELEASES)),
  /** The whole command, as the client claims. */
  argv: z.array(z.string()).nullable(),
  /** A digest of the arguments that the client left out of `argv`. */
  argvMasked: z.string().nullable(),
  /** The folder that the command runs in, as the client claims. */
  cwd: z.string().nullable(),
  /** The public key of the terminal, which signed the request; base64. */
  deviceKey: z.string().nullable(),
  /** Epoch milliseconds. */
  expiresAtMs: z.number(),
})

export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** A first approval, where a bundle needs two. Plain JSON. */
export const FirstApproval = z.object({
  approverId: z.string(),
  username: z.string(),
  tenantId: z.string(),
  bundleId: z.string(),
  /** Delivered names. */
  keys: z.array(z.string()),
  /** ISO timestamp. */
  at: z.string(),
})

export type FirstApproval = z.infer<typeof FirstApproval>

/** An approval that waits for its return to the terminal. `approverId`: who may have a fresh code. */
export type Held = { by: ReleaseWay; untilMs: number; approverId: string }

/** `ready` until the ciphertext is gone for good, claimed or not. `returned`: how the last approval of the request came
 * back through the terminal. `approval` is what was sealed, while there is something to say about it. */
export type StoredRequest = {
  request: ApprovalRequest
  status: 'pending' | 'held' | 'ready' | Ended
  first: FirstApproval | null
  held: Held | null
  returned: ReleaseWay | null
  approval: Approval | null
}

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
  /** The signed receipt. */
  receipt: Receipt,
  /** What the approver lets the terminal repeat, once the approval returned over loopback. */
  remember: GrantDraft.nullable(),
})

export type Approval = z.infer<typeof Approval>

/** What an approval adds; `approval` is null for a ciphertext stored without a sign-in. */
export type Sealed = { ciphertextBase64: string; approval: Approval | null }

/** A secret whose holder releases the request. `hash`: of the secret; `untilMs`: epoch milliseconds. */
export type Hold = { by: ReleaseWay; hash: string; untilMs: number }

/** One approval. `after`: who approved first, as the caller saw it. `first` is kept where nothing is sealed yet. */
export type Step = {
  after: string | null
  first: FirstApproval | null
  sealed: Sealed | null
  hold: Hold | null
  by: { approverId: string; tenantId: string } | null
}

/** The result of an attempt to approve, deny or withdraw. `changed`: another person's approval came first, or ended; `gone`:
 * unknown, expired or delivered. */
export type Settled = 'done' | 'changed' | 'held' | 'ready' | Ended | 'gone'

/** The result of a claim. `taken`: another caller holds the claim and may still give it back. */
export type Claim =
  | ({ status: 'claimed' } & Sealed)
  | { status: 'pending' | 'held' | 'taken' | Ended | 'gone' }

/** The result of a release. `wrong` counts against a code; the last wrong one denies the request. */
export type Released =
  | { status: 'released' | 'late' | 'not_held' | Ended | 'gone' }
  | { status: 'wrong'; attemptsLeft: number }

/** A fresh code for a held request. `limit`: how many one request may get. */
export type FreshCode = {
  approverId: string
  hash: string
  untilMs: number
  limit: number
  approval: Approval | null
}

/**
 * Keeps approval requests until they are delivered or their lifetime ends. Each method is one atomic step, over all
 * nodes that share the store; an expired request is gone for every one of them. Times are epoch milliseconds.
 *
 * At most one delivery: a claim is never given twice unless it was given back in between. A process that dies between
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
  /** From pending to held (with a hold), to ready (with what was sealed), or to a first approval. `done` for exactly one
   * of any number of callers. */
  approve(id: string, step: Step, nowMs: number): Promise<Settled>
  /** From held to ready, or to pending after a first approval, for the holder of the secret. Exactly one of any number of
   * callers gets `released`. */
  release(id: string, attempt: { hash: string; limit: number }, nowMs: number): Promise<Released>
  /** Replaces the secret of a held request by a code. False when it is not held, or not by this approver, or there were too
   * many codes. */
  renewCode(id: string, code: FreshCode, nowMs: number): Promise<boolean>
  /** From pending or held to denied; the marker stays until the lifetime would have ended. */
  deny(id: string, nowMs: number): Promise<Settled>
  /** From pending, held, ready or claimed to withdrawn; the ciphertext is gone at once, and a claim cannot bring it back. */
  withdraw(id: string, nowMs: number): Promise<Settled>
  /** Counts a wrong check code; the one that reaches `limit` denies the request.
   * @returns how many attempts are left; 0 too when the request is not pending */
  countWrongCode(id: string, limit: number, nowMs: number): Promise<number>
  claim(id: string, nowMs: number): Promise<Claim>
  /** Gives a claim back. */
  unclaim(id: string, nowMs: number): Promise<void>
  remove(id: string): Promise<void>
  /** Removes this user's approvals that no client has claimed: in one tenant, or in all. A request that waits for a second
   * person waits for two again. */
  removeApprovedBy(approver: { userId: string; tenantId: string | null }, nowMs: number): Promise<void>
  /** Calls `listener` after each approval, release, denial, withdrawal, returned claim and removal of the request, on
   * whichever node it happened. A call may come without a change, and one may be missed while the store is unreachable:
   * after a call, and at the end of the wait, read the store again.
   * @returns ends the watch */
  watch(id: string, listener: () => void): () => void
  /** @throws DomainError unavailable */
  ping(): Promise<void>
  close(): Promise<void>
}
