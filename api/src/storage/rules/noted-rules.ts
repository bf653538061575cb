import type { TouchRule } from '@keyferry/contract'
import { type RawBuilder, sql } from 'kysely'
import { send } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import type { MacTable } from '../row-macs/mac-tables.ts'
import { asksTouch, BUNDLES, linesOf, ruledText, TOUCH } from './set-rules.ts'

/*
 * These statements are not built by the query layer, because it refuses the rows that they are about.
 */

/** Note where rules are that another program wrote or deleted. Give the rows their MACs after it.
 * @param lock keeps others from changing rules until the transaction ends */
export async function noteRules(transaction: Query, lock: RawBuilder<unknown>): Promise<void> {
  const tenants = sql<TenantRow>`select id, ruled from tenants order by id ${lock}`
  const { rows } = await tenants.execute(transaction)
  const places = await placesIn(transaction)
  for (const { id, ruled } of rows) {
    const kept = linesOf(ruled).filter((line) => line === BUNDLES || line === TOUCH)
    const noted = ruledText([...kept, ...(places.get(id) ?? [])])
    const change = sql`update tenants set ruled = ${noted} where id = ${id}`
    if (noted !== ruled) await send(transaction, change.compile(transaction))
  }
  const added = sql`update bundles set ruled = 1 where ruled is null and ${HAS_ROW}`
  await send(transaction, added.compile(transaction))
  const left = sql`update bundles set ruled = null where ruled = 1 and not ${HAS_ROW}`
  await send(transaction, left.compile(transaction))
}

/** Rows of rules that are gone. */
export async function missingRules(
  query: Query,
): Promise<{ table: MacTable; name: string; tenantId: string }[]> {
  const { rows } = await sql<TenantRow>`select id, ruled from tenants where ruled is not null`.execute(query)
  const places = await placesIn(query)
  const ofTenants = rows.flatMap(({ id, ruled }) => {
    const gone = linesOf(ruled).filter((line) => line !== BUNDLES && line !== TOUCH)
    return gone.flatMap((place) => (places.get(id)?.includes(place) ? [] : [{ tenant_id: id, place }]))
  })
  const bundles = sql<{ tenant_id: string; place: string }>`
    select tenant_id, id as place from bundles where ruled = 1 and not ${HAS_ROW}`
  const ofBundles = (await bundles.execute(query)).rows
  return [...ofTenants, ...ofBundles].map(({ tenant_id: tenantId, place }) => {
    return { table: 'policies', name: `${tenantId} ${place}`, tenantId }
  })
}

type TenantRow = { id: string; ruled: string | null }

const HAS_ROW = sql`exists (select 1 from policies
  where policies.tenant_id = bundles.tenant_id and policies.place = bundles.id)`

/** The lines of each workspace that has rules. */
async function placesIn(query: Query): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ tenant_id: string; line: string; touch: TouchRule | null }>`
    select distinct tenant_id, case when bundle_id is null then place else ${sql.lit(BUNDLES)} end as line, touch
    from policies`.execute(query)
  const places = new Map<string, string[]>()
  for (const { tenant_id, line, touch } of rows)
    places.set(tenant_id, [...(places.get(tenant_id) ?? []), line, ...(asksTouch(touch) ? [TOUCH] : [])])
  return places
}
