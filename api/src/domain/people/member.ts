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

/** What a member is limited to; null: to nothing. */
type MemberLimit = { limited_to: string[] | null }

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

type MemberWish = Pick<ExpectedChange<{ role: Role } & MemberLimit>, 'expected'> & {
  userId: string
  to: MemberTurn
}

export interface MemberStore {
  /** By username. */
  list(tenantId: string): Promise<Member[]>
  /** Give a member another role, limit or remove them, which ends what `endsOf` names.
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

/** Limit a member to the bundles that the patterns name, or end the limit.
 * @throws DomainError not_found · conflict: an owner · changed */
export async function limitMember(
  parts: MemberParts,
  caller: Caller,
  { userId, limited_to, expected }: ExpectedChange<MemberLimit> & MemberLimit & { userId: string },
): Promise<void> {
  const to = { limited_to: limited_to && [...new Set(limited_to)].toSorted() }
  await changeMember(parts, caller, { userId, to, expected })
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
  if (change === 'owner')
    throw new DomainError('conflict', 'an owner sees everything: make them a member first')
  if (change === 'absent') throw userNotFound()
}
