import { endpoints } from '@keyferry/contract'
import { acceptInvitation } from '../domain/approvals/joining.ts'
import { changeGroup, changeMember, limitMember } from '../domain/approvals/leaving.ts'
import { timestamp } from '../domain/base/clock-and-ids.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { mayCreateKeys } from '../domain/library/key.ts'
import { createGroup, storedFields } from '../domain/people/group.ts'
import { invite, previewInvitation } from '../domain/people/invitation.ts'
import { mayRemove } from '../domain/people/member.ts'
import { type Caller, roleAllows } from '../domain/people/membership.ts'
import {
  createTenant,
  findSelf,
  findTenant,
  mayRename,
  renameTenant,
  type Tenant,
} from '../domain/people/tenant.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function tenantHandlers(parts: HandlerParts) {
  const { stores, requestParts, clock, authMode, invitationTokenOf, usedToken } = parts
  const { tenants, users, members, groups, invitations, holders } = stores
  return {
    createTenant: ({ caller, body }) => createTenant(users, caller, { name: body.name, clock }),
    renameTenant: ({ caller, params, body }) =>
      renameTenant(tenants, caller, { id: params.tenant_id, change: body, clock }),
    async listTenants({ caller }) {
      const list = await tenants.listOf(caller.userId)
      return list.map((tenant) => ({ ...tenant, current: tenant.id === caller.tenantId }))
    },
    switchTenant: async ({ caller, body }) =>
      presentCurrent(await findTenant(tenants, caller, body.tenant_id)),
    async getMe({ caller }) {
      const self = await findSelf(tenants, caller)
      return { ...self, role: caller.role, auth_mode: authMode, may: operationsOf(caller) }
    },
    async listMembers({ caller, query }) {
      const list = await members.list(caller.tenantId)
      const isAsked = query.facts === '1' && roleAllows(caller.role, 'owner')
      const counts = isAsked ? await holders.counts(caller.tenantId) : null
      return list.map(({ limited_to, ...member }) => ({
        ...member,
        ...(roleAllows(caller.role, 'owner') || member.user_id === caller.userId ? { limited_to } : {}),
        may_remove: mayRemove(caller, member.user_id),
        ...(counts && { holds: counts.get(member.user_id) ?? { total: 0, older: 0 } }),
      }))
    },
    changeMemberRole: ({ caller, params, body: { role: to, expected } }) =>
      changeMember(requestParts, caller, { userId: params.user_id, to, expected }),
    changeMemberLimit: ({ caller, params, body }) =>
      limitMember(requestParts, caller, { ...body, userId: params.user_id }),
    listGroups: ({ caller }) => groups.list(caller.tenantId),
    createGroup: ({ caller, body }) => createGroup({ groups, clock }, caller, body),
    changeGroup: ({ caller, params: { group_id: id }, body: { expected, ...fields } }) =>
      changeGroup(requestParts, caller, { id, to: storedFields(fields), expected }),
    deleteGroup: ({ caller, params }) => changeGroup(requestParts, caller, { id: params.group_id, to: null }),
    removeMember: ({ caller, params }) =>
      changeMember(requestParts, caller, { userId: params.user_id, to: 'removed' }),
    async createInvitation({ caller, body }) {
      const { created_at: _, ...invitation } = await invite(invitations, caller, {
        ...body,
        replaces: body.replaces ?? null,
        clock,
        tokenOf: invitationTokenOf,
      })
      return { ...invitation, accept_path: `/invite/${invitation.token}` }
    },
    listInvitations: ({ caller }) => invitations.list(caller.tenantId, timestamp(clock)),
    revokeInvitation: ({ caller, params }) =>
      invitations.delete(params.invitation_id, stampOf(caller, clock)),
    previewInvitation: ({ body }) => previewInvitation(invitations, { ...usedToken(body.token), clock }),
    acceptInvitation: async ({ caller, body: { token } }) =>
      presentCurrent(await acceptInvitation(requestParts, caller, usedToken(token))),
  } satisfies Partial<Handlers>
}

/** The operations that not every member may call, by their names, as far as this caller may. */
function operationsOf(caller: Caller): string[] {
  const { role } = caller
  const allowed = Object.entries(endpoints).filter(
    ([, { access }]) => access !== 'member' && roleAllows(role, access),
  )
  return [
    ...allowed.map(([name]) => name),
    ...(mayRename(role) ? ['renameTenant'] : []),
    ...(mayCreateKeys(caller) ? ['createKey'] : []),
  ]
}

function presentCurrent({ id, name, role }: Tenant) {
  return { tenant_id: id, name, role }
}
