import type { MemberList } from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { type Caller, ownerRequired, type Role, userNotFound } from './membership.ts'

/*
 * A member belongs to a tenant as an owner or as a member. An owner changes roles and removes anyone; every member may
 * leave. A tenant always keeps one owner. Nothing that a person leaves behind keeps rights that they lost: `endsOf`
 * says what ends.
 */

/** What ends with a membership or with a role, in the transaction of the change: the person's invitations, remembered
 * approvals, and approvals that no client has fetched.
 * `grants`: the reason in the events of remembered approvals. */
type MemberEnds = { invitations: boolean; approvals: boolean; grants: 'person_removed' | 'role_changed' }

/** @param change that the person is removed, or the new role. A new owner keeps what a member may have. */
export function endsOf(change: 'removed' | Role): MemberEnds {
  if (change === 'removed') return { invitations: true, approvals: true, grants: 'person_removed' }
  const isDemoted = change === 'member'
  return { invitations: isDemoted, approvals: isDemoted, grants: 'role_changed' }
}

/** `email`: as `emailForOthers` has it. */
export type Member = Omit<z.output<typeof MemberList>[number], 'may_remove'>

/** `last_owner`: refused, because a tenant is never without an owner. */
export type MemberChange = 'done' | 'absent' | 'last_owner'

type MemberWish = Pick<ExpectedChange<{ role: Role }>, 'expected'> & { userId: string; to: 'removed' | Role }

export interface MemberStore {
  /** By username. */
  list(tenantId: string): Promise<Member[]>
  /** Give a member another role, or remove them, which ends what `endsOf` names.
   * @throws DomainError changed */
  change(change: MemberWish, stamp: Stamp): Promise<MemberChange>
}

export type MemberParts = { members: Pick<MemberStore, 'change'>; clock: ClockAndIds }

/** @throws DomainError not_found · conflict: the last owner · changed */
export async function changeRole(
  parts: MemberParts,
  caller: Caller,
  { userId, role, expected }: ExpectedChange<{ role: Role }> & { userId: string; role: Role },
): Promise<void> {
  await changeMember(parts, caller, { userId, to: role, expected })
}

/** Remove a member, or leave.
 * @throws DomainError forbidden (not an owner) · not_found · conflict: the last owner */
export async function removeMember(parts: MemberParts, caller: Caller, userId: string): Promise<void> {
  if (!mayRemove(caller, userId)) throw ownerRequired()
  await changeMember(parts, caller, { userId, to: 'removed' })
}

/** Owners remove anyone; a member leaves. */
export function mayRemove({ role, userId }: Caller, removedId: string): boolean {
  return role === 'owner' || userId === removedId
}

async function changeMember(
  { members, clock }: MemberParts,
  caller: Caller,
  wanted: MemberWish,
): Promise<void> {
  const change = await members.change(wanted, stampOf(caller, clock))
  if (change === 'last_owner')
    throw new DomainError('conflict', 'the last owner cannot be demoted or removed')
  if (change === 'absent') throw userNotFound()
}
