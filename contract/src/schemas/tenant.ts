import { z } from 'zod'
import { isIdText } from '../id-text.ts'
import { LIMITS } from '../limits.ts'
import { expectedOf, Id, object, requiredText } from './text.ts'
import { Role } from './user.ts'

/** A call with this header works in the tenant that it names, instead of the session's current one. */
export const WORKSPACE_HEADER = 'keyferry-workspace'

export const WorkspaceHeaders = z.object({ [WORKSPACE_HEADER]: z.uuid().optional() })

export const TenantList = z
  .array(object('TenantEntry', { id: Id, name: z.string(), role: Role, current: z.boolean() }))
  .meta({ id: 'TenantList' })

/** Pages show it to every member, so it has no character that hides or reorders text. The client reads a text that
 * looks like an id as an id, so it cannot be a name. */
const TenantName = requiredText('name', LIMITS.nameLength, 'name required')
  .trim()
  .min(1, 'name required')
  .refine((name) => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name), 'name must not contain control characters')
  // U+FE0F ends many emoji.
  .refine((name) => !/(?!\uFE0F)\p{DI}|\u2800/u.test(name), 'name must not contain invisible characters')
  .refine((name) => !isIdText(name), 'name must not look like an id')

export const NameTenant = object('NameTenant', { name: TenantName })

export const RenameTenant = NameTenant.extend({ expected: expectedOf({ name: TenantName }) }).meta({
  id: 'RenameTenant',
})

export const Tenant = object('Tenant', { id: Id, name: z.string(), role: Role })

export const SwitchTenant = object('SwitchTenant', {
  tenant_id: requiredText('tenant_id', 64, 'tenant_id required'),
})

export const CurrentTenant = object('CurrentTenant', { tenant_id: Id, name: z.string(), role: Role })
