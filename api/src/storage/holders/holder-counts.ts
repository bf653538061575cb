import { sql } from 'kysely'
import type { WholePage } from '../../domain/base/listing.ts'
import type { StaleKey } from '../../domain/deliveries/holder.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { selectOf } from '../base/tenant-rows.ts'

// Entries whose confirmed delivery is of an older version, and those whose only delivery is. The index holdings_given
// finds both without reading the holders of the current version.
const OLDER = [
  sql`holdings.version < keys.value_version`,
  sql`holdings.version is null and holdings.perhaps_version < keys.value_version`,
].map(
  (isOlder) => sql`from holdings where holdings.tenant_id = keys.tenant_id and holdings.key_id = keys.id
  and holdings.dismissed_at is null and ${isOlder}`,
)

/** How many holders of a row of `keys` were given an older version last. */
export const OLDER_HOLDERS = sql<number>`${sql.join(
  OLDER.map((rows) => sql`(select count(*) ${rows})`),
  sql` + `,
)}`

/** Whether anyone was given an older version of a row of `keys` last. */
export const hasOlderHolder = sql<boolean>`(${sql.join(
  OLDER.map((rows) => sql`exists (select 1 ${rows})`),
  sql` or `,
)})`

/** How many were given this version last, dismissed ones left out. */
export const versionHolders = (table: 'keys' | 'key_versions', key: string, version: string) =>
  sql<number>`(
    select count(*) from holdings
    where holdings.tenant_id = ${sql.ref(`${table}.tenant_id`)} and holdings.key_id = ${sql.ref(`${table}.${key}`)}
      and coalesce(holdings.version, holdings.perhaps_version) = ${sql.ref(`${table}.${version}`)}
      and holdings.dismissed_at is null
  )`.as('holders')

type StaleListing = { tenantId: string; before: string | undefined; page: WholePage }

/** Keys with holders of an older version, by name; the index keys_changed has those that may have some. */
export function staleKeys(query: Query, { tenantId, before, page }: StaleListing): Promise<StaleKey[]> {
  return selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value_version as version', 'value_set_at'])
    .select(OLDER_HOLDERS.as('holders'))
    .where(sql<boolean>`value_version > 1`)
    .$if(before !== undefined, (select) => select.where('value_set_at', '<', before ?? ''))
    .where(hasOlderHolder)
    .orderBy('name')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

/** How many values each person was given, and of how many only an older version. */
export async function countsByPerson(query: Query, tenantId: string) {
  const newest = selectOf(query, 'holdings', tenantId)
    .innerJoin('keys', (join) => join.on(inOneTenant('keys.id', 'holdings.key_id')))
    .where('holdings.dismissed_at', 'is', null)
    .select(['holdings.user_id', 'holdings.key_id'])
    .select(
      sql<number>`max(case when coalesce(holdings.version, holdings.perhaps_version) < keys.value_version
      then 0 else 1 end)`.as('is_current'),
    )
    .groupBy(['holdings.user_id', 'holdings.key_id'])
  const rows = await query
    .selectFrom(newest.as('newest'))
    .select(['user_id', sql<number>`count(*)`.as('total'), sql<number>`sum(1 - is_current)`.as('older')])
    .where('user_id', 'is not', null)
    .groupBy('user_id')
    .execute()
  return new Map(rows.map(({ user_id, total, older }) => [user_id ?? '', { total, older }]))
}
