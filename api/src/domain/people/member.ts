import type { MemberList } from '@keyferry/contract'
import type { z } from 'zod'
import type { ExpectedChange } from '../base/expected.ts'
import type { Stamp } from '../base/stamp.ts'
import type { Caller, Role } from './membership.ts'

/*
 * A member belongs to a tenant as an owner or as a member. An owner changes roles and removes anyone; every member may
 * leave. A tenant always keeps one owner. Nothing that a person leaves behind keeps rights that they lost: `endsOf`
 * says what ends.
 */

/** What ends with a membership or with a role, in the transaction of the change: the person's invitations, remembered
 * approvals, and approvals that no client has fetched.
 * `grants`: the reason in the events of remembered approvals. */
type MemberEnds = { invitations: boolean; approvals: boolean; grants: 'person_removed' | 'role_changed' }

/** What a member is limited to; null: to nothing. */
export type MemberLimit = { limited_to: string[] | null }

/** What a member becomes. */
type MemberTurn = 'removed' | Role | MemberLimit

/** @param change that the person is removed or limited, or the new role. A new owner keeps what a member may have. */
export function endsOf(change: MemberTurn): MemberEnds {
  if (typeof change === 'object') return { invitations: false, approvals: true, grants: 'role_changed' }
  if (change === 'removed') return { invitations: true, approvals: true, grants: 'person_removed' }
  const isDemoted = change === 'member'
  return { invitations: isDemoted, approvals: isDemoted, grants: 'role_changed' }
}

/** `email`: as `emailForOthers` has it. */
export type Member = Omit<z.output<typeof MemberList>[number], 'may_remove' | 'limited_to'> & {
  limited_to: string[] | null
}

/** `last_owner`: refused, because a tenant is never without an owner. `owner`: refused, because owners see all. */
export type MemberChange = 'done' | 'absent' | 'last_owner' | 'owner'

export type MemberWish = Pick<ExpectedChange<{ role: Role } & MemberLimit>, 'expected'> & {
  userId: string
  to: MemberTurn
}

export interface MemberStore {
  /** By username. */
  list(tenantId: string): Promise<Member[]>
}

/** The changes of members, in a transaction. */
export interface MemberRecords {
  /** Give a member another role, limit or remove them, which ends what `endsOf` names, except for approvals.
   * @throws DomainError changed */
  change(change: MemberWish, stamp: Stamp): Promise<MemberChange>
}

/** Owners remove anyone; a member leaves. */
export function mayRemove({ role, userId }: Caller, removedId: string): boolean {
  return role === 'owner' || userId === removedId
}
