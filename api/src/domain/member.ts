import { DomainError } from './errors.ts'
import { type Caller, ownerRequired, type Role } from './membership.ts'

type Member = { user_id: string; username: string; email: string; role: Role; created_at: string }

/** `last_owner`: refused, because a tenant is never without an owner. */
export type MemberChange = 'done' | 'absent' | 'last_owner'

export interface MemberStore {
  /** By username. */
  list(tenantId: string): Promise<Member[]>
  changeRole(tenantId: string, userId: string, role: Role): Promise<MemberChange>
  remove(tenantId: string, userId: string): Promise<MemberChange>
}

/** @throws DomainError not_found · conflict: the last owner */
export async function changeRole(
  members: MemberStore,
  caller: Caller,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  requireDone(await members.changeRole(caller.tenantId, userId, role))
}

/** An owner removes any member; every member may leave.
 * @throws DomainError forbidden (not an owner) · not_found · conflict: the last owner */
export async function removeMember(members: MemberStore, caller: Caller, userId: string): Promise<void> {
  if (caller.role !== 'owner' && caller.userId !== userId) throw ownerRequired()
  requireDone(await members.remove(caller.tenantId, userId))
}

function requireDone(change: MemberChange): void {
  if (change === 'absent') throw new DomainError('not_found', 'User not found')
  if (change === 'last_owner')
    throw new DomainError('conflict', 'the last owner cannot be demoted or removed')
}
