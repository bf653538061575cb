import { sql } from 'kysely'
import type { WholePage } from '../../domain/base/listing.ts'
import type { StaleKey } from '../../domain/deliveries/holder.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

// An entry whose confirmed delivery is of an older version, or whose only delivery is. The index holdings_oldest finds
// them without reading the holders of the current version.
const STALE = sql`from holdings
  where holdings.tenant_id = keys.tenant_id and holdings.key_id = keys.id and holdings.dismissed_at is null
  and coalesce(holdings.version, holdings.perhaps_version) < keys.value_version`

type Listing = { tenantId: string; before: string | undefined; page: WholePage }

/** Keys with holders of an older version, by name. */
export function staleKeys(query: Query, { tenantId, before, page }: Listing): Promise<StaleKey[]> {
  return selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value_version as version', 'value_set_at'])
    .select(sql<number>`(select count(*) ${STALE})`.as('holders'))
    .where('value_version', '>', 1)
    .$if(before !== undefined, (select) => select.where('value_set_at', '<', before ?? ''))
    .where(sql<boolean>`exists (select 1 ${STALE})`)
    .orderBy('name')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}
