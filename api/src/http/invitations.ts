import { timestamp } from '../domain/base/clock-and-ids.ts'
import { acceptInvitation, invite, previewInvitation, revokeInvitation } from '../domain/people/invitation.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentCurrent } from './tenants.ts'

type InvitationHandlers = Pick<
  Handlers,
  'createInvitation' | 'listInvitations' | 'revokeInvitation' | 'previewInvitation' | 'acceptInvitation'
>

export function invitationHandlers({ stores: { invitations }, clock }: HandlerParts): InvitationHandlers {
  return {
    async createInvitation({ caller, body }) {
      const { created_at: _, ...invitation } = await invite(invitations, caller, { ...body, clock })
      return { status: 201, body: { ...invitation, accept_path: `/invite/${invitation.token}` } }
    },
    async listInvitations({ caller }) {
      return { status: 200, body: await invitations.list(caller.tenantId, timestamp(clock)) }
    },
    async revokeInvitation({ caller, params }) {
      await revokeInvitation(invitations, caller, { invitationId: params.invitation_id, clock })
      return { status: 200, body: { ok: true } }
    },
    async previewInvitation({ body }) {
      return { status: 200, body: await previewInvitation(invitations, { token: body.token, clock }) }
    },
    async acceptInvitation({ caller, body }) {
      const tenant = await acceptInvitation(invitations, caller, { token: body.token, clock })
      return { status: 200, body: presentCurrent(tenant) }
    },
  }
}
