import { DomainError } from './errors.ts'
import type { Role, Visitor } from './membership.ts'

export type Tenant = { id: string; name: string; role: Role }

/** Who a user is, and the tenant being worked in. */
export type Self = { user_id: string; username: string; email: string; tenant: { id: string; name: string } }

export interface TenantStore {
  /** The tenants that a user belongs to, by name. */
  listOf(userId: string): Promise<Tenant[]>
  findOf(userId: string, tenantId: string): Promise<Tenant | null>
  findSelf(userId: string, tenantId: string): Promise<Self | null>
}

/** @throws DomainError forbidden: not a member, and unknown tenants alike */
export async function switchTenant(
  tenants: TenantStore,
  { userId }: Visitor,
  tenantId: string,
): Promise<Tenant> {
  const tenant = await tenants.findOf(userId, tenantId)
  if (!tenant) throw new DomainError('forbidden', 'Forbidden: not a member')
  return tenant
}

/** @throws DomainError not_found: removed since the call was let in */
export async function findSelf(tenants: TenantStore, { userId, tenantId }: Visitor): Promise<Self> {
  const self = await tenants.findSelf(userId, tenantId)
  if (!self) throw new DomainError('not_found', 'User not found')
  return self
}
