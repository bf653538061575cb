import { changeRole, type MemberParts, removeMember } from '../domain/people/member.ts'
import { removeApprovalsOf } from '../domain/requests/approver-removal.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type MemberHandlers = Pick<Handlers, 'listMembers' | 'changeMemberRole' | 'removeMember'>

export function memberHandlers({ stores: { members }, requestParts, clock }: HandlerParts): MemberHandlers {
  const parts: MemberParts = {
    members,
    clock,
    endApprovals: (approver) => removeApprovalsOf(requestParts, approver),
  }
  return {
    async listMembers({ caller }) {
      return { status: 200, body: await members.list(caller.tenantId) }
    },
    async changeMemberRole({ caller, params, body }) {
      await changeRole(parts, caller, { userId: params.user_id, role: body.role })
      return { status: 200, body: { ok: true } }
    },
    async removeMember({ caller, params }) {
      await removeMember(parts, caller, params.user_id)
      return { status: 200, body: { ok: true } }
    },
  }
}
