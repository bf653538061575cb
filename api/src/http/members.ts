import { removeApprovalsOf } from '../domain/approvals/approver-removal.ts'
import { changeRole, type MemberParts, removeMember } from '../domain/people/member.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function memberHandlers({ stores: { members }, requestParts, clock }: HandlerParts) {
  const parts: MemberParts = {
    members,
    clock,
    endApprovals: (approver) => removeApprovalsOf(requestParts, approver),
  }
  return {
    listMembers: ({ caller }) => members.list(caller.tenantId),
    changeMemberRole: ({ caller, params, body }) =>
      changeRole(parts, caller, { userId: params.user_id, role: body.role }),
    removeMember: ({ caller, params }) => removeMember(parts, caller, params.user_id),
  } satisfies Partial<Handlers>
}
