import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Id, requiredText } from './text.ts'
import { Role } from './user.ts'

const EXAMPLE_TENANT = { id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04', name: "sam's workspace", role: 'owner' }

/** A call with this header works in the tenant that it names, instead of the session's current one. */
export const WORKSPACE_HEADER = 'keyferry-workspace'

export const WorkspaceHeaders = z.object({ [WORKSPACE_HEADER]: z.uuid().optional() })

export const TenantList = z
  .array(z.object({ id: Id, name: z.string(), role: Role, current: z.boolean() }).meta({ id: 'TenantEntry' }))
  .meta({ id: 'TenantList', examples: [[{ ...EXAMPLE_TENANT, current: true }]] })

/** Shown to every member, so it holds no character that hides or reorders text. */
const TenantName = requiredText('name', LIMITS.nameLength, 'name required')
  .trim()
  .min(1, 'name required')
  .refine((name) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name), 'name must not contain control characters')
  // U+FE0F ends many emoji.
  .refine((name) => !/(?!\uFE0F)\p{DI}|\u2800/u.test(name), 'name must not contain invisible characters')

export const NameTenant = z
  .object({ name: TenantName })
  .meta({ id: 'NameTenant', examples: [{ name: 'Acme' }] })

export const Tenant = z
  .object({ id: Id, name: z.string(), role: Role })
  .meta({ id: 'Tenant', examples: [EXAMPLE_TENANT] })

export const SwitchTenant = z
  .object({ tenant_id: requiredText('tenant_id', 64, 'tenant_id required') })
  .meta({ id: 'SwitchTenant', examples: [{ tenant_id: EXAMPLE_TENANT.id }] })

export const CurrentTenant = z.object({ tenant_id: Id, name: z.string(), role: Role }).meta({
  id: 'CurrentTenant',
  examples: [{ tenant_id: EXAMPLE_TENANT.id, name: EXAMPLE_TENANT.name, role: 'owner' }],
})
