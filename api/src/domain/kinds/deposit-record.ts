import type { ReleaseWay } from '@keyferry/contract'
import type { Origin } from '../base/origin.ts'
import type { Stamp } from '../base/stamp.ts'
import type { ImportedVariable } from '../transfer/imported-variables.ts'

/*
 * The record of an approved deposit, written in the transaction of the approval. The transaction that stores the
 * values also ends the record, so the values are stored at most once, whatever dies in between. A
 * record that is void can never be stored.
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

/** Kept for the owners until `expiresAt`, an ISO timestamp. */
type Kept = { proposed: true; expiresAt: string }

export type DepositOutcome = Stored | Kept

/** What was stored, for the client and for the receipt. */
export type Stored = {
  bundleId: string
  /** Of the sealed box, 64 hex digits. */
  boxDigest: string
  /** ISO timestamp. */
  storedAt: string
  variables: readonly ImportedVariable[]
}

/** Why a deposit was not stored. `expired` and `wrong_code`: the approval did not return to the terminal. */
export type DepositEnd = {
  depositId: string
  reason:
    | 'denied'
    | 'withdrawn'
    | 'expired'
    | 'wrong_code'
    | 'plan_changed'
    | 'overtaken'
    | 'removed'
    | 'refused'
  /** ISO timestamp. */
  at: string
  origin: Origin | null
}

export interface DepositStore {
  /** @throws DomainError unavailable: then the deposit must not be approved */
  begin(tenantId: string, deposit: NewDeposit): Promise<void>
  /** The deposit will never be stored. False when it was stored, or ended before. */
  void(tenantId: string, end: DepositEnd): Promise<boolean>
  /** Null for a deposit that was not stored. */
  outcomeOf(tenantId: string, depositId: string): Promise<DepositOutcome | null>
  /** Approved deposits of all tenants whose request ended before this time, an ISO timestamp; some of them. */
  overdue(time: string): Promise<{ tenantId: string; depositId: string }[]>
}
