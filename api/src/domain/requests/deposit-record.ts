import type { ReleaseWay } from '@keyferry/contract'
import type { Origin } from '../base/origin.ts'
import type { Stamp } from '../base/stamp.ts'
import type { AppliedDeposit } from './stored-deposit.ts'

/*
 * The record of an approved deposit, written in the transaction of the approval. The transaction that stores the values
 * ends the record too. For a day, the record answers the client: its request may be gone with a crash.
 *
 * | state    | what happened                                                                  |
 * | -------- | ------------------------------------------------------------------------------ |
 * | approved | approved, and not stored: the approval may still return to the terminal        |
 * | applied  | stored, or kept as a proposal                                                  |
 * | void     | never stored: denied, withdrawn, not returned, or the plan changed             |
 */

export type NewDeposit = {
  id: string
  requestId: string
  pollChallenge: string | null
  bundleName: string
  /** All of them: to store and to remove. */
  names: readonly string[]
  /** How many of them the bundle would lose. */
  removals: number
  /** The values are not stored, but proposed to the owners. */
  isProposal: boolean
  /** How the approval has to return to the terminal; null: it has not. */
  heldBy: ReleaseWay | null
  /** ISO timestamp: the end of the request. */
  until: string
  stamp: Stamp
}

/** Why a deposit was not stored. `expired` and `wrong_code`: the approval did not return to the terminal. */
export type DepositEnd = {
  depositId: string
  reason: 'denied' | 'withdrawn' | 'expired' | 'wrong_code' | 'plan_changed' | 'removed' | 'refused'
  /** ISO timestamp. */
  at: string
  origin: Origin | null
}

/** What transactions do with deposits. */
export interface DepositRecords {
  /** @throws DomainError unavailable: then the deposit must not be approved */
  begin(tenantId: string, deposit: NewDeposit): Promise<void>
  /** The values are stored, or kept as a proposal. */
  apply(tenantId: string, stored: { depositId: string; applied: AppliedDeposit; at: string }): Promise<void>
  /** The deposit will never be stored. Does nothing to one that has ended. */
  void(tenantId: string, end: DepositEnd): Promise<void>
}

export interface DepositStore {
  /** The answer to the client of a deposit that was stored after a time, an ISO timestamp. */
  appliedSince(
    time: string,
    requestId: string,
  ): Promise<{ pollChallenge: string; applied: AppliedDeposit } | null>
  /** Approved deposits of all tenants whose request ended before this time, an ISO timestamp; some of them. */
  overdue(time: string): Promise<{ tenantId: string; depositId: string }[]>
}
