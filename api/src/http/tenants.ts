import { createTenant, findSelf, findTenant, renameTenant, type Tenant } from '../domain/people/tenant.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type TenantHandlers = Pick<
  Handlers,
  'listTenants' | 'createTenant' | 'renameTenant' | 'switchTenant' | 'getMe'
>

export function tenantHandlers({
  stores: { tenants, users },
  clock,
  authMode,
}: HandlerParts): TenantHandlers {
  return {
    async createTenant({ caller, body }) {
      return { status: 201, body: await createTenant(users, caller, { name: body.name, clock }) }
    },
    async renameTenant({ caller, params, body }) {
      const change = { id: params.tenant_id, name: body.name, clock }
      return { status: 200, body: await renameTenant(tenants, caller, change) }
    },
    async listTenants({ caller }) {
      const list = await tenants.listOf(caller.userId)
      return {
        status: 200,
        body: list.map((tenant) => ({ ...tenant, current: tenant.id === caller.tenantId })),
      }
    },
    async switchTenant({ caller, body }) {
      return { status: 200, body: presentCurrent(await findTenant(tenants, caller, body.tenant_id)) }
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
