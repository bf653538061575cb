import type { GroupRecords } from '../people/group.ts'
import type { Accept } from '../people/invitation.ts'
import { endsOf, type MemberStore } from '../people/member.ts'
import type { UserStore } from '../people/user.ts'
import { type EndParts, type Ends, removeApprovalsOf } from './ending.ts'

/*
 * If a person is removed, disabled or gets fewer rights, what they approved ends in the same transaction. So a decision
 * at the same time is either ended here, or finds no rights.
 */

type LeavingParts = EndParts<Ends>

const REMOVAL = { isRemoval: true } as const

/** Changes a member, and ends their approvals if that takes rights. */
export function memberChange(parts: LeavingParts): Pick<MemberStore, 'change'> {
  return {
    change: (change, stamp) =>
      parts.together(async (own) => {
        const changed = await own.members.change(change, stamp)
        const approver = { userId: change.userId, tenantId: stamp.tenantId }
        if (changed === 'done' && endsOf(change.to).approvals) await removeApprovalsOf(own, parts, approver)
        return changed
      }, REMOVAL),
  }
}

/** Changes a group, and ends the approvals of the members who lose something. */
export function groupChange(parts: LeavingParts): Pick<GroupRecords, 'change'> {
  return {
    change: (change, stamp) =>
      parts.together(async (own) => {
        const losing = await own.groups.change(change, stamp)
        for (const userId of losing) await removeApprovalsOf(own, parts, { userId, tenantId: stamp.tenantId })
        return losing
      }, REMOVAL),
  }
}

/** Joins a person, and ends the approvals of the member whose place they take. */
export function joining(parts: LeavingParts): { accept: Accept } {
  return {
    accept: (acceptance) =>
      parts.together(async (own) => {
        const joined = await own.acceptInvitation(acceptance)
        if (joined !== null && joined.left !== null)
          await removeApprovalsOf(own, parts, { userId: joined.left, tenantId: joined.tenant.id })
        return joined
      }, REMOVAL),
  }
}

/** Changes a user as the identity provider reports, and ends the approvals of a person who is gone. */
export function providedChange(parts: LeavingParts): Pick<UserStore, 'change'> {
  return {
    change: (idpUserId, change) =>
      parts.together(async (own) => {
        const { groups, ...others } = change
        const losing = groups ? await own.groups.provide(idpUserId, groups, others) : []
        const userId = await own.users.change(idpUserId, others)
        for (const left of losing) await removeApprovalsOf(own, parts, left)
        if (userId !== null && change.isActive === false)
          await removeApprovalsOf(own, parts, { userId, tenantId: null })
        return userId
      }, REMOVAL),
  }
}
