import type { Endpoint } from '../endpoint.ts'
import * as delivery from '../schemas/delivery.ts'
import * as member from '../schemas/member.ts'
import { Ok } from '../schemas/text.ts'

/** Members of the current tenant. */
export const memberEndpoints = {
  listMembers: {
    method: 'GET',
    path: '/api/v1/members',
    access: 'member',
    summary: 'List the members of the current tenant',
    responses: { 200: member.MemberList },
  },
  changeMemberRole: {
    method: 'PUT',
    path: '/api/v1/members/{user_id}',
    access: 'owner',
    summary: "Change a member's role",
    body: member.ChangeRole,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/v1/members/{user_id}',
    access: 'member',
    summary: 'Remove a member (owner), or leave the tenant (own user id)',
    responses: { 200: Ok },
    errors: [404, 409],
  },
  listHoldings: {
    method: 'GET',
    path: '/api/v1/members/{user_id}/holdings',
    access: 'owner',
    summary: 'What a person was given, also after the person was removed',
    query: delivery.ListHoldingsQuery,
    responses: { 200: delivery.HoldingList },
    errors: [400, 404],
  },
} as const satisfies Record<string, Endpoint>
