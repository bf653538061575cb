import type { Me } from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import { momentOf, type Stamp, stampOf } from '../base/stamp.ts'
import { ownerRequired, type Role, userNotFound, type Visitor } from './membership.ts'
import type { NewWorkspace, UserStore } from './user.ts'

/*
 * A tenant is what people see as a workspace: the library, its members and its requests. Any user may create one and
 * owns it then; owners rename it. A tenant that the caller does not belong to answers as an unknown one does.
 */

export type Tenant = { id: string; name: string; role: Role }

export type Self = Omit<z.output<typeof Me>, 'role' | 'auth_mode' | 'may'>

type Renaming = ExpectedChange<{ name: string }> & { name: string }

export interface TenantStore {
  /** The tenants that a user belongs to, by name. */
  listOf(userId: string): Promise<Tenant[]>
  findOf(userId: string, tenantId: string): Promise<Tenant | null>
  findSelf(userId: string, tenantId: string): Promise<Self | null>
  /** False when the user does not own the tenant.
   * @throws DomainError changed */
  rename(tenant: Renaming & { id: string }, stamp: Stamp): Promise<boolean>
}

/** Create a tenant that the caller owns.
 * @throws DomainError too_many_workspaces */
export async function createTenant(
  users: UserStore,
  { userId, origin }: Visitor,
  { name, clock }: { name: string; clock: ClockAndIds },
): Promise<Tenant> {
  const workspace: NewWorkspace = { id: clock.newId(), name, membershipId: clock.newId() }
  await users.createWorkspace(userId, workspace, momentOf({ clock, origin }))
  return { id: workspace.id, name, role: 'owner' }
}

/** In the tenant that is renamed; `rename` in storage carries it out. */
export function mayRename(role: Role): boolean {
  return role === 'owner'
}

/** @throws DomainError not_found (unknown, or the caller is not a member) · forbidden (not an owner) · changed */
export async function renameTenant(
  tenants: TenantStore,
  visitor: Visitor,
  { id, change, clock }: { id: string; change: Renaming; clock: ClockAndIds },
): Promise<Tenant> {
  const stamp = stampOf(visitor, clock)
  if (await tenants.rename({ ...change, id }, stamp)) return { id, name: change.name, role: 'owner' }
  throw (await tenants.findOf(visitor.userId, id))
    ? ownerRequired()
    : new DomainError('not_found', 'tenant not found')
}

/** @throws DomainError forbidden: not a member, or an unknown tenant */
export async function findTenant(
  tenants: TenantStore,
  { userId }: Visitor,
  tenantId: string,
): Promise<Tenant> {
  const tenant = await tenants.findOf(userId, tenantId)
  if (!tenant) throw new DomainError('forbidden', 'Forbidden: not a member')
  return tenant
}

/** @throws DomainError not_found: removed since the call was admitted */
export async function findSelf(tenants: TenantStore, { userId, tenantId }: Visitor): Promise<Self> {
  const self = await tenants.findSelf(userId, tenantId)
  if (!self) throw userNotFound()
  return self
}
