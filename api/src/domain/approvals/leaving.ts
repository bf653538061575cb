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

/** Changes a user as the identity provider reports, and ends the approvals of a person who is gone. */
export function providedChange(parts: LeavingParts): Pick<UserStore, 'change'> {
  return {
    change: (idpUserId, change) =>
      parts.together(async (own) => {
        const userId = await own.users.change(idpUserId, change)
        if (userId !== null && change.isActive === false)
          await removeApprovalsOf(own, parts, { userId, tenantId: null })
        return userId
      }, REMOVAL),
  }
}
