import { madeByOperator } from '../../domain/base/event.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { peopleNamed } from './linked-sides.ts'
import { changeMember } from './members.ts'

type Named = { id: string; name: string }

/** Workspaces whose other members have no active owner without this person. */
export function ownerlessWithout(query: Query, userId: string): Promise<Named[]> {
  const others = query
    .selectFrom('memberships as other')
    .innerJoin('users', 'users.id', 'other.user_id')
    .select('other.tenant_id')
    .where('other.user_id', '<>', userId)
    .where('users.is_active', '=', 1)
  return query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.name'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('tenants.id', 'in', others)
    .where('tenants.id', 'not in', others.where('other.role', '=', 'owner'))
    .orderBy('tenants.name')
    .execute()
}

/** Make a person an owner of a workspace, and a member of it where they are none: for the operator.
 * @param asked the id, the proven e-mail address, or that of a local account
 * @returns a text: why nothing changed */
export async function makeOwner(
  transaction: Recorded,
  { tenantId, asked, now, newId }: { tenantId: string; asked: string; now: string; newId: () => string },
): Promise<{ workspace: string; email: string } | string> {
  const tenants = transaction.selectFrom('tenants').select('name').where('id', '=', tenantId)
  const tenant = await tenants.executeTakeFirst()
  if (tenant === undefined) return `no workspace has the id ${tenantId}`
  const people = await peopleNamed(transaction, asked, true).execute()
  const [person, ...others] = people
  if (person === undefined) return 'no person has this id or verified e-mail address'
  if (others.length > 0) return `several people have this address: ${people.map(({ id }) => id).join(', ')}`
  if (person.is_active !== 1) return 'the person is disabled'
  const { id: userId, email } = person
  const owned = selectOf(transaction, 'memberships', { tenantId, user_id: userId }).where(
    'role',
    '=',
    'owner',
  )
  if (await isFound(owned)) return 'the person is an owner already'
  const made = { ...madeByOperator(now), tenantId }
  if ((await changeMember(transaction, { userId, to: 'owner' }, made)) === 'absent') {
    const row = { id: newId(), user_id: userId, tenant_id: tenantId, role: 'owner', created_at: now } as const
    await transaction.insertInto('memberships').values(row).execute()
    const target = { kind: 'user', id: userId, name: null } as const
    transaction.record({ ...made, action: 'member.joined', target, data: { role: 'owner' } })
  }
  return { workspace: tenant.name, email }
}
