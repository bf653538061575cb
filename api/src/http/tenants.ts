import { findSelf, switchTenant, type Tenant } from '../domain/tenant.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function tenantHandlers({
  stores: { tenants },
  authMode,
}: HandlerParts): Pick<Handlers, 'listTenants' | 'switchTenant' | 'getMe'> {
  return {
    async listTenants({ caller }) {
      const list = await tenants.listOf(caller.userId)
      return {
        status: 200,
        body: list.map((tenant) => ({ ...tenant, current: tenant.id === caller.tenantId })),
      }
    },
    async switchTenant({ caller, body }) {
      return { status: 200, body: presentCurrent(await switchTenant(tenants, caller, body.tenant_id)) }
    },
    async getMe({ caller }) {
      const self = await findSelf(tenants, caller)
      return { status: 200, body: { ...self, role: caller.role, auth_mode: authMode } }
    },
  }
}

export function presentCurrent({ id, name, role }: Tenant) {
  return { tenant_id: id, name, role }
}
