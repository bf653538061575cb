import { sql } from 'kysely'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { TypedValue } from '../../domain/deliveries/holder.ts'
import type { Query } from '../base/queries.ts'
import { countOf, pageOf, selectOf } from '../base/tenant-rows.ts'
import { bundlesOf } from './held-bundles.ts'

type TypedBy = { tenantId: string; userId: string; page: WholePage }

/** The values that a person typed, imported or proposed: of each key the newest one. */
export async function typedBy(
  query: Query,
  { tenantId, userId, page }: TypedBy,
): Promise<ListPage<TypedValue>> {
  const newest = sql<number>`coalesce(${currentOf(userId)}, ${olderOf(userId)})`
  const typed = selectOf(query, 'keys', tenantId).where(sql<boolean>`${newest} is not null`)
  const shown = typed
    .select(['keys.id', 'keys.name', 'keys.is_secret', 'value_version'])
    .select(newest.as('version'))
    .orderBy('keys.is_secret', 'desc')
    .orderBy('keys.name')
  const { rows, total } = await pageOf(shown, page, countOf(typed))
  const held = rows.map(({ id }) => ({ key_id: id }))
  const bundles = await bundlesOf(query, tenantId, held)
  const present = ({ id, name, is_secret, value_version, version }: (typeof rows)[number]) => ({
    version,
    key: { id, name, version: value_version, is_secret: is_secret === 1, bundles: bundles.get(id) ?? [] },
  })
  return { total, rows: rows.map(present) }
}

const currentOf = (userId: string) => sql`case when keys.value_how in ('set', 'import')
  and (keys.value_set_by = ${userId} or keys.value_proposed_by = ${userId}) then keys.value_version end`

const olderOf = (userId: string) => sql`(select max(old.version) from key_versions as old
  where old.tenant_id = keys.tenant_id and old.key_id = keys.id and old.how in ('set', 'import')
    and (old.set_by = ${userId} or old.proposed_by = ${userId}))`
