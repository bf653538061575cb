import { sql } from 'kysely'
import type { Bundle, BundleFilter, BundleStore } from '../domain/bundle.ts'
import type { Slice } from '../domain/listing.ts'
import type { Queries, Query } from './queries.ts'
import { count, counted } from './tenant-counts.ts'
import { contains, containsInAnyCase } from './text-search.ts'

export function createBundleStore(queries: Queries): BundleStore {
  const { query } = queries
  return {
    insert: (bundle) => query.transaction().execute((transaction) => insert(transaction, bundle)),
    find: finder(queries),
    list: (tenantId, filter, slice) => list(query, { tenantId, filter, slice }),
    count: (tenantId, filter) => countMatches(query, tenantId, filter),
    delete: (tenantId, bundleId) =>
      query.transaction().execute((transaction) => remove(transaction, tenantId, bundleId)),
  }
}

async function insert(transaction: Query, bundle: Bundle): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('bundles')
    .values(bundle)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
    .executeTakeFirstOrThrow()
  const isNew = numInsertedOrUpdatedRows === 1n
  if (isNew) await count(transaction, { tenantId: bundle.tenant_id, column: 'bundle_count', by: 1 })
  return isNew
}

const COLUMNS = [
  'id',
  'tenant_id',
  'name',
  'description',
  'tags',
  'created_by',
  'created_at',
  'updated_at',
] as const

function finder({ query, prepare }: Queries): BundleStore['find'] {
  const read = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    query
      .selectFrom('bundles')
      .select(COLUMNS)
      .where('id', '=', value('bundleId'))
      .where('tenant_id', '=', value('tenantId')),
  )
  return async (tenantId, bundleId) => (await read({ tenantId, bundleId }))[0] ?? null
}

type ListRequest = { tenantId: string; filter: BundleFilter; slice: Slice }

function list(query: Query, { tenantId, filter, slice }: ListRequest): Promise<Bundle[]> {
  return matching(query, tenantId, filter)
    .select(COLUMNS)
    .$if(slice.after !== null, (select) => select.where('name', '>', slice.after ?? ''))
    .orderBy('name')
    .limit(slice.limit)
    .offset(slice.offset)
    .execute()
}

async function countMatches(query: Query, tenantId: string, filter: BundleFilter): Promise<number> {
  if (!filter.query && !filter.tag) return counted(query, tenantId, 'bundle_count')
  const { total } = await matching(query, tenantId, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

function matching(query: Query, tenantId: string, { query: text, tag }: BundleFilter) {
  return query
    .selectFrom('bundles')
    .where('tenant_id', '=', tenantId)
    .$if(Boolean(text), (select) => select.where(containsInAnyCase('name', text ?? '')))
    .$if(Boolean(tag), (select) => select.where(contains(sql`(',' || tags || ',')`, `,${tag},`)))
}

async function remove(transaction: Query, tenantId: string, bundleId: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('bundles')
    .where('id', '=', bundleId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const isKnown = numDeletedRows === 1n
  if (isKnown) await count(transaction, { tenantId, column: 'bundle_count', by: -1 })
  return isKnown
}
