import { sql } from 'kysely'
import type { Role } from '../../domain/people/membership.ts'
import type { BundleReach } from '../../domain/people/reach.ts'

const signed = (table: string) => sql`
  select 1 from ${sql.table(table)} as rules
  where rules.tenant_id = memberships.tenant_id and rules.touch <> 'none'`

/** What groups add. Under a touch rule, members whom no owner confirmed get nothing of it. */
const ADDED = sql<string | null>`(
  select string_agg(member_groups.adds, ' ') from group_members
  inner join member_groups on member_groups.tenant_id = group_members.tenant_id
    and member_groups.id = group_members.group_id
  where group_members.user_id = memberships.user_id and group_members.tenant_id = memberships.tenant_id
    and (group_members.confirmed = 1 or group_members.confirmed = 0 and not exists (
      ${signed('tenant_policies')} union all ${signed('folder_policies')} union all ${signed('bundle_policies')}
    ))
)`

/** What decides how far a membership reaches. */
export const REACH = [
  'memberships.role',
  'memberships.limited_to',
  'memberships.limited_at',
  ADDED.as('added'),
] as const

type LimitRow = { role: Role | null; limited_to: string | null }

type ReachRow = LimitRow & { limited_at: string | null; added: string | null }

/** @param row a row of a membership, or what a join has in its place */
export function reachIn({ limited_at, added, ...row }: ReachRow): BundleReach {
  const limit = limitIn(row)
  const patterns = limit && [...new Set([...limit, ...(patternsIn(added) ?? [])])].toSorted()
  return patterns && { patterns, since: limited_at ?? '' }
}

/** What an owner limited a member to. */
export function limitIn({ role, limited_to }: LimitRow): string[] | null {
  return role === 'owner' ? null : patternsIn(limited_to)
}

export function patternsIn(stored: string | null): string[] | null {
  return stored?.split(' ').filter((pattern) => pattern !== '') ?? null
}

export function storedPatterns(patterns: readonly string[] | null | undefined): string | null {
  return patterns?.join(' ') ?? null
}
