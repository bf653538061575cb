import { createTenant, findSelf, findTenant, renameTenant, type Tenant } from '../domain/people/tenant.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function tenantHandlers({ stores: { tenants, users }, clock, authMode }: HandlerParts) {
  return {
    createTenant: ({ caller, body }) => createTenant(users, caller, { name: body.name, clock }),
    renameTenant: ({ caller, params, body: { name } }) =>
      renameTenant(tenants, caller, { id: params.tenant_id, name, clock }),
    async listTenants({ caller }) {
      const list = await tenants.listOf(caller.userId)
      return list.map((tenant) => ({ ...tenant, current: tenant.id === caller.tenantId }))
    },
    switchTenant: async ({ caller, body }) =>
      presentCurrent(await findTenant(tenants, caller, body.tenant_id)),
    async getMe({ caller }) {
      const self = await findSelf(tenants, caller)
      return { ...self, role: caller.role, auth_mode: authMode }
    },
  } satisfies Partial<Handlers>
}

export function presentCurrent({ id, name, role }: Tenant) {
  return { tenant_id: id, name, role }
}
