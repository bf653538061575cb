import type { WhyNotCode } from '@keyferry/contract'
import type { AppliedDeposit, DepositApproval } from './stored-deposit.ts'
import type { ApprovalRequest, Ended, FirstApproval, Hold, Sealed, StoredRequest } from './stored-request.ts'

/** How long a store remembers the id of a request whose lifetime ended. */
export const EXPIRED_KNOWN_MS = 15 * 60 * 1_000

/** How many requests of one terminal a store looks at. */
export const DEVICE_REQUESTS = 32

/** One approval. `after`: who approved first, as the caller saw it. `first` is kept where nothing is sealed yet. */
export type Step = {
  after: string | null
  first: FirstApproval | null
  sealed: Sealed | null
  hold: Hold | null
  by: { approverId: string; tenantId: string } | null
}

/** How long a node may take to store the values of a deposit. After that, another node looks what became of it. */
export const APPLY_MS = 15_000

export type DepositStep = { approval: DepositApproval; hold: Hold | null }

/** The result of an attempt to approve, deny or withdraw. `changed`: another person's approval came first, or ended; `gone`:
 * unknown, expired or delivered. */
export type Settled = 'done' | 'changed' | 'held' | 'ready' | Ended | 'gone'

/** The result of a claim. `taken`: another caller holds the claim and may still give it back, or a node stores a deposit.
 * `applied`: of a deposit, which has no ciphertext. */
export type Claim =
  | ({ status: 'claimed'; applied?: AppliedDeposit } & Sealed)
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
} & Omit<Sealed, 'ciphertextBase64'>

/**
 * Keeps approval requests until they are delivered or their lifetime ends. Each method is one atomic step, over all
 * nodes that share the store; an expired request is gone for every one of them. Times are epoch milliseconds.
 *
 * At most one delivery: a claim is never given twice unless it was given back in between. A process that dies between
 * claim and removal may have handed the ciphertext over, so it stays claimed until the lifetime ends.
 *
 * Every method throws DomainError unavailable while the store cannot be reached, and works again once it can.
 */
export interface RequestStore {
  /** @param box of a deposit: a `DepositBox` as JSON
   * @returns false when the store holds as many live requests as it may, or as many bytes of boxes */
  create(request: ApprovalRequest, nowMs: number, box?: string): Promise<boolean>
  find(id: string, nowMs: number): Promise<StoredRequest | null>
  /** Pending requests that this terminal signed and that can be approved together; the newest `DEVICE_REQUESTS`. */
  ofDevice(deviceKey: string, nowMs: number): Promise<StoredRequest[]>
  /** Whether a request's lifetime ended before it was delivered. Remembered for `EXPIRED_KNOWN_MS` after that; the rest of
   * the request is gone. */
  hasExpired(id: string, nowMs: number): Promise<boolean>
  /** From pending to held (with a hold), to ready (with what was sealed), or to a first approval. `done` for exactly one
   * of any number of callers. */
  approve(id: string, step: Step, nowMs: number): Promise<Settled>
  /** The box of a deposit, as it was given; null when it is gone: applied, denied, withdrawn or expired. */
  box(id: string, nowMs: number): Promise<string | null>
  /** From pending to held (with a hold) or to applying. `done` for exactly one of any number of callers. */
  approveDeposit(id: string, step: DepositStep, nowMs: number): Promise<Settled>
  /** From applying to ready with what was stored, or back to pending with null. False when this deposit is not applying. */
  settleDeposit(
    id: string,
    outcome: { depositId: string; applied: AppliedDeposit | null },
    nowMs: number,
  ): Promise<boolean>
  /** From held to ready, or to pending after a first approval, or to applying, for the holder of the secret. Exactly one of any number of
   * callers gets `released`. */
  release(id: string, attempt: { hash: string; limit: number }, nowMs: number): Promise<Released>
  /** Replaces the secret of a held request by a code. False when it is not held, or not by this approver, or there were too
   * many codes. */
  renewCode(id: string, code: FreshCode, nowMs: number): Promise<boolean>
  /** From pending or held to denied; the marker stays until the lifetime would have ended. */
  deny(id: string, nowMs: number, why?: WhyNotCode): Promise<Settled>
  /** From pending, held, ready or claimed to withdrawn; the ciphertext is gone at once, and a claim cannot bring it back. A
   * deposit that is applying or ready stays: its values are in the library. */
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
