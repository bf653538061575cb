import { timestamp } from '../domain/base/clock-and-ids.ts'
import { acceptInvitation, invite, previewInvitation, revokeInvitation } from '../domain/people/invitation.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentCurrent } from './tenants.ts'

export function invitationHandlers({ stores: { invitations }, clock }: HandlerParts) {
  return {
    async createInvitation({ caller, body }) {
      const { created_at: _, ...invitation } = await invite(invitations, caller, { ...body, clock })
      return { ...invitation, accept_path: `/invite/${invitation.token}` }
    },
    listInvitations: ({ caller }) => invitations.list(caller.tenantId, timestamp(clock)),
    revokeInvitation: ({ caller, params }) =>
      revokeInvitation(invitations, caller, { invitationId: params.invitation_id, clock }),
    previewInvitation: ({ body }) => previewInvitation(invitations, { token: body.token, clock }),
    acceptInvitation: async ({ caller, body: { token } }) =>
      presentCurrent(await acceptInvitation(invitations, caller, { token, clock })),
  } satisfies Partial<Handlers>
}
