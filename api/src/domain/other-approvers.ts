import type { Caller, MembershipStore } from './membership.ts'
import type { Policy } from './policy.ts'

/** Names of the other people of the tenant who may approve requests for a bundle with this policy. */
export async function otherApprovers(
  memberships: MembershipStore,
  { userId, tenantId }: Caller,
  { approvers }: Pick<Policy, 'approvers'>,
): Promise<string[]> {
  const people = await memberships.listActive(tenantId)
  const others = people.filter(
    (person) => person.userId !== userId && (approvers === 'member' || person.role === 'owner'),
  )
  return others.map(({ username }) => username)
}
