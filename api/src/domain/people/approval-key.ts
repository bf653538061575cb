import { LIMITS } from '@keyferry/contract'
import type { VerifiedApprovalKey } from '@keyferry/crypto/passkey'
import { approvalKeyFingerprint } from '@keyferry/crypto/touch-signature'
import { DomainError } from '../base/errors.ts'
import type { Stamp } from '../base/stamp.ts'

/*
 * A signing key signs acts in one workspace. It is no key for signing in. A new key gives nothing until someone who
 * does not depend on the page confirms it: the operator on the server, at once; or an owner by a touch. An owner's
 * confirmation waits as every act that lasts (see lasting-act.ts), so one stolen touch confirms no key.
 */

/** `waiting`: its confirmation was signed once, and waits. `active`: the key signs. `confirmedBy`: who confirmed it
 * last, a user's id or `operator`. */
export type Confirmation = {
  state: 'pending' | 'waiting' | 'active'
  countsFrom: string | null
  confirmedBy: string | null
}

export type ApprovalKey = VerifiedApprovalKey &
  Confirmation & {
    tenantId: string
    id: string
    userId: string
    username: string
    name: string
    transports: readonly string[]
    rpId: string
    createdAt: string
    lastUsedAt: string | null
  }

export type NewApprovalKey = Omit<ApprovalKey, keyof Confirmation | 'username' | 'lastUsedAt'>

/** The keys of one workspace, without those whose time to be confirmed is over. */
export interface ApprovalKeyStore {
  /** The oldest first. With `userId`: the keys of this person only. */
  list(asked: { tenantId: string; userId?: string }, now: string): Promise<ApprovalKey[]>
  /** @throws DomainError conflict: the workspace has this key already, or the person has too many or a pending one */
  insert(key: NewApprovalKey, stamp: Stamp): Promise<void>
  /** Let a key sign, and end the wait of its confirmation.
   * @param waits the acts that waited; the first must still exist
   * @returns false: another call did that, removed the key or stopped the act */
  confirm(key: ApprovalKey, waits: readonly string[], stamp: Stamp): Promise<boolean>
  /** False: the key is gone already. */
  remove(key: ApprovalKey, stamp: Stamp): Promise<boolean>
  /** Count a use. False: the key is gone, or its counter did not grow. */
  use(key: ApprovalKey, counter: number, now: string): Promise<boolean>
}

export const PENDING: Confirmation = { state: 'pending', countsFrom: null, confirmedBy: null }

export function fingerprintOf({ publicKey }: Pick<ApprovalKey, 'publicKey'>): string {
  return approvalKeyFingerprint(publicKey)
}

export function tooManyApprovalKeys(): DomainError {
  return new DomainError('conflict', `you can have ${LIMITS.approvalKeys} signing keys: remove one first`)
}

export function isAwaited(): DomainError {
  return new DomainError('conflict', 'you have a key that waits for its confirmation: remove it first')
}
