import { DELETE, GET, POST, PUT } from '../endpoint.ts'
import * as delivery from '../schemas/delivery.ts'
import * as member from '../schemas/member.ts'
import * as tenant from '../schemas/tenant.ts'

/** Members of the current tenant, and invitations to join it. */
export const memberEndpoints = {
  listMembers: GET('/api/v1/members', 'member', {
    summary: 'List the members of the current tenant',
    query: member.MemberQuery,
    answer: member.MemberList,
  }),
  changeMemberRole: PUT('/api/v1/members/{user_id}', 'owner', {
    touch: { by: 'workspace', lasts: 'role' },
    summary: "Change a member's role",
    body: member.ChangeRole,
  }),
  changeMemberLimit: PUT('/api/v1/members/{user_id}/limit', 'owner', {
    touch: { by: 'workspace', lasts: 'effect' },
    summary: 'Limit a member to some bundles, or end the limit',
    body: member.ChangeLimit,
  }),
  removeMember: DELETE('/api/v1/members/{user_id}', 'member', {
    touch: { by: 'member', lasts: 'never' },
    summary: 'Remove a member (owner), or leave the tenant (own user id)',
  }),
  listGroups: GET('/api/v1/groups', 'owner', {
    summary: 'List the groups of members',
    answer: member.GroupList,
  }),
  createGroup: POST('/api/v1/groups', 'owner', {
    touch: { by: 'workspace', lasts: 'effect' },
    summary: 'Create a group of members',
    body: member.CreateGroup,
    created: member.CreatedGroup,
  }),
  changeGroup: PUT('/api/v1/groups/{group_id}', 'owner', {
    touch: { by: 'workspace', lasts: 'effect' },
    summary: 'Change the name of a group, what it adds to limits, or who is in it',
    body: member.ChangeGroup,
  }),
  deleteGroup: DELETE('/api/v1/groups/{group_id}', 'owner', {
    touch: { by: 'workspace', lasts: 'never' },
    summary: 'Delete a group; a rule that names only it lets nobody approve',
  }),
  listHoldings: GET('/api/v1/members/{user_id}/holdings', 'owner', {
    summary: 'What a person was given, also after the person was removed',
    query: delivery.ListHoldingsQuery,
    answer: delivery.HoldingList,
  }),
  listTypedValues: GET('/api/v1/members/{user_id}/typed-values', 'owner', {
    summary: 'Which values a person typed, imported or proposed, also after the person was removed',
    query: delivery.ListHoldingsQuery,
    answer: delivery.TypedValueList,
  }),
  createInvitation: POST('/api/v1/invitations', 'owner', {
    touch: { by: 'workspace', lasts: 'invitation' },
    summary: 'Invite by e-mail; the token is shown once',
    body: member.CreateInvitation,
    created: member.CreatedInvitation,
  }),
  listInvitations: GET('/api/v1/invitations', 'owner', {
    summary: 'List open invitations',
    answer: member.InvitationList,
  }),
  revokeInvitation: DELETE('/api/v1/invitations/{invitation_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Revoke an invitation',
  }),
  previewInvitation: POST('/api/v1/invitations/preview', 'public', {
    summary: 'What an invitation offers, by its token',
    body: member.AcceptInvitation,
    answer: member.InvitationPreview,
    errors: [404],
  }),
  acceptInvitation: POST('/api/v1/invitations/accept', 'session', {
    touch: 'gives_nothing',
    summary: 'Join a tenant by an invitation token',
    body: member.AcceptInvitation,
    answer: tenant.CurrentTenant,
  }),
}
