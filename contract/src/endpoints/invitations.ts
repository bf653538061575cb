import { DELETE, type Endpoint, GET, POST } from '../endpoint.ts'
import * as invitation from '../schemas/invitation.ts'
import * as tenant from '../schemas/tenant.ts'
import { Ok } from '../schemas/text.ts'

/** Invitations to join the current tenant. */
export const invitationEndpoints = {
  createInvitation: POST('/api/v1/invitations', 'owner', {
    summary: 'Invite by e-mail; the token is shown once',
    body: invitation.CreateInvitation,
    responses: { 201: invitation.CreatedInvitation },
    errors: [400, 409],
  }),
  listInvitations: GET('/api/v1/invitations', 'owner', {
    summary: 'List open invitations',
    responses: { 200: invitation.InvitationList },
  }),
  revokeInvitation: DELETE('/api/v1/invitations/{invitation_id}', 'owner', {
    summary: 'Revoke an invitation',
    responses: { 200: Ok },
    errors: [404],
  }),
  previewInvitation: POST('/api/v1/invitations/preview', 'public', {
    summary: 'What an invitation offers, by its token',
    body: invitation.AcceptInvitation,
    responses: { 200: invitation.InvitationPreview },
    errors: [404],
  }),
  acceptInvitation: POST('/api/v1/invitations/accept', 'session', {
    summary: 'Join a tenant by an invitation token',
    body: invitation.AcceptInvitation,
    responses: { 200: tenant.CurrentTenant },
    errors: [400, 404],
  }),
} as const satisfies Record<string, Endpoint>
