import { LIMITS } from '@keyferry/contract'
import { DomainError } from '../../domain/base/errors.ts'
import type { Role } from '../../domain/people/membership.ts'
import type { BundleReach } from '../../domain/people/reach.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { readByIds } from '../base/prepared.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { touchRules } from '../rules/set-rules.ts'

/** What a membership says of how far it reaches. */
export const REACH = [
  'memberships.user_id',
  'memberships.tenant_id',
  'memberships.role',
  'memberships.limited_to',
  'memberships.limited_at',
] as const

/** Of a membership, or what a join has in its place. */
type LimitRow = { role: Role | null; limited_to: string | null }

type ReachRow = LimitRow & { user_id: string | null; tenant_id: string | null; limited_at: string | null }

/** These memberships, each with how far it reaches. Groups are read for limited members only, and in a query of their
 * own. So the MACs of their rows are checked, and a transaction that waited for a membership reads them as they are.
 */
export async function withReach<Row extends ReachRow>(
  query: Query,
  rows: readonly Row[],
): Promise<(Row & { reach: BundleReach })[]> {
  const limited = rows.filter((row) => limitIn(row) !== null)
  const added = await Promise.all(
    [...Map.groupBy(limited, (row) => row.tenant_id ?? '')].map(([tenantId, members]) =>
      addedIn(query, tenantId, new Set(members.map((row) => row.user_id ?? ''))),
    ),
  )
  const groups = Map.groupBy(added.flat(), placeOf)
  return rows.map((row) => {
    const limit = limitIn(row)
    const adds = groups.get(placeOf(row))?.flatMap((group) => patternsIn(group.adds) ?? []) ?? []
    const patterns = limit && [...new Set([...limit, ...adds])].toSorted()
    return { ...row, reach: patterns && { patterns, since: row.limited_at ?? '' } }
  })
}

/** Refuse to let limited members reach by more names than one condition should have.
 * @throws DomainError conflict */
export async function requireFewPatterns(
  query: Query,
  tenantId: string,
  userIds: readonly string[],
): Promise<void> {
  const memberships = selectOf(query, 'memberships', tenantId).select(REACH)
  const rows = await inChunks(userIds, (some) => ask(query, memberships.where('user_id', 'in', some)))
  const most = Math.max(...(await withReach(query, rows)).map(({ reach }) => reach?.patterns.length ?? 0))
  if (most > LIMITS.memberPatterns)
    throw new DomainError(
      'conflict',
      `a limited member reaches at most ${LIMITS.memberPatterns} folders, applications and bundles, with what groups add`,
    )
}

const placeOf = ({ tenant_id, user_id }: Pick<ReachRow, 'tenant_id' | 'user_id'>) => `${tenant_id} ${user_id}`

const readAdded = readByIds((query, tenantId, userIds) =>
  selectOf(query, 'group_members', tenantId)
    .innerJoin('member_groups', (join) => join.on(inOneTenant('member_groups.id', 'group_members.group_id')))
    .select(['group_members.tenant_id', 'user_id', 'confirmed', 'adds'])
    .where('user_id', 'in', userIds)
    .where('confirmed', 'in', [0, 1]),
)

/** What groups add to the limits of members. Under a touch rule, members whom no owner confirmed get nothing of it. */
async function addedIn(query: Query, tenantId: string, userIds: ReadonlySet<string>) {
  const rows = await inChunks([...userIds], (some) => readAdded(query, tenantId, some))
  const isConfirmed = (row: (typeof rows)[number]) => row.confirmed === 1
  if (rows.every(isConfirmed) || (await touchRules(query, tenantId)).length === 0) return rows
  return rows.filter(isConfirmed)
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
