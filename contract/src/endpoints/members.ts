import { DELETE, type Endpoint, GET, PUT } from '../endpoint.ts'
import * as delivery from '../schemas/delivery.ts'
import * as member from '../schemas/member.ts'
import { Ok } from '../schemas/text.ts'

/** Members of the current tenant. */
export const memberEndpoints = {
  listMembers: GET('/api/v1/members', 'member', {
    summary: 'List the members of the current tenant',
    responses: { 200: member.MemberList },
  }),
  changeMemberRole: PUT('/api/v1/members/{user_id}', 'owner', {
    summary: "Change a member's role",
    body: member.ChangeRole,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  }),
  removeMember: DELETE('/api/v1/members/{user_id}', 'member', {
    summary: 'Remove a member (owner), or leave the tenant (own user id)',
    responses: { 200: Ok },
    errors: [404, 409],
  }),
  listHoldings: GET('/api/v1/members/{user_id}/holdings', 'owner', {
    summary: 'What a person was given, also after the person was removed',
    query: delivery.ListHoldingsQuery,
    responses: { 200: delivery.HoldingList },
    errors: [400, 404],
  }),
} as const satisfies Record<string, Endpoint>
