import { DomainError } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import { type Arrival, momentOf, stampOf } from '../base/stamp.ts'
import type { GroupChange } from '../people/group.ts'
import { endsOf, type MemberLimit, type MemberWish, mayRemove } from '../people/member.ts'
import { type Caller, ownerRequired, userNotFound } from '../people/membership.ts'
import type { ProvidedChange } from '../people/user.ts'
import { type EndParts, type Ends, removeApprovalsOf } from './ending.ts'

/*
 * The acts by which a person is removed, disabled or gets fewer rights. What they approved ends in the same
 * transaction. So a decision at the same time is either ended here, or finds no rights. The stores have no such change:
 * only a transaction does.
 */

export type LeavingParts = EndParts<Ends>

/** It must not fail because a decision contains what it needs. */
export const REMOVAL = { isRemoval: true } as const

/** Limit a member to the bundles that the patterns name, or end the limit.
 * @throws DomainError not_found · conflict: an owner · changed */
export async function limitMember(
  parts: LeavingParts,
  caller: Caller,
  { userId, limited_to, expected }: ExpectedChange<MemberLimit> & MemberLimit & { userId: string },
): Promise<void> {
  const to = { limited_to: limited_to && [...new Set(limited_to)].toSorted() }
  await changeMember(parts, caller, { userId, to, expected })
}

/** Remove a member, leave, or give a member another role or limit.
 * @throws DomainError forbidden · not_found · conflict: the last owner, or a limit of an owner · changed */
export async function changeMember(parts: LeavingParts, caller: Caller, wanted: MemberWish): Promise<void> {
  const { tenantId } = caller
  if (wanted.to === 'removed' && !mayRemove(caller, wanted.userId)) throw ownerRequired()
  await parts.together(async (own) => {
    const change = await own.members.change(wanted, stampOf(caller, parts.clock))
    if (change === 'last_owner')
      throw new DomainError('conflict', 'the last owner cannot be demoted or removed')
    if (change === 'owner')
      throw new DomainError('conflict', 'an owner sees everything: make them a member first')
    if (change === 'absent') throw userNotFound()
    if (endsOf(wanted.to).approvals) await removeApprovalsOf(own, parts, { userId: wanted.userId, tenantId })
  }, REMOVAL)
}

/** @throws DomainError not_found · changed · conflict · invalid */
export async function changeGroup(parts: LeavingParts, caller: Caller, change: GroupChange): Promise<void> {
  const { tenantId } = caller
  await parts.together(async (own) => {
    const losing = await own.groups.change(change, stampOf(caller, parts.clock))
    for (const userId of losing) await removeApprovalsOf(own, parts, { userId, tenantId })
  }, REMOVAL)
}

/** Apply a change that the identity provider reports: a new e-mail, other groups, or that a user is gone. A user who is
 * gone is inactive at once.
 * @throws DomainError not_found: no user has this id */
export async function changeProvidedUser(
  { origin, ...parts }: LeavingParts & Arrival,
  idpUserId: string,
  { groups, ...change }: ProvidedChange,
): Promise<void> {
  const moment = momentOf({ origin, clock: parts.clock })
  await parts.together(async (own) => {
    const losing = groups ? await own.groups.provide(idpUserId, groups, moment) : []
    const userId = await own.users.change(idpUserId, { ...change, ...moment })
    if (userId === null) throw userNotFound()
    for (const left of losing) await removeApprovalsOf(own, parts, left)
    if (change.isActive === false) await removeApprovalsOf(own, parts, { userId, tenantId: null })
  }, REMOVAL)
}
