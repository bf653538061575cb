import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Slice } from '../../domain/base/listing.ts'
import type { ValueOriginStore } from '../../domain/library/bundle-entry.ts'
import type { Key, KeyFilter, KeyStore } from '../../domain/library/key.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query } from '../base/queries.ts'
import type { Flag, Tables } from '../base/tables.ts'
import { countOf, keysAttached, namesIn, selectOf } from '../base/tenant-rows.ts'
import { containsInAnyCase } from '../base/text-search.ts'
import {
  listedColumns,
  openedByName,
  partsIn,
  type ValueVault,
  valueColumn,
} from '../keys-at-rest/value-vault.ts'
import { nearKeys } from '../reach/reached-rows.ts'

/** The methods that read the keys of a library. */
export function readKeys(
  queries: Queries,
  vault: ValueVault,
): Pick<KeyStore, 'find' | 'list' | 'longValues' | 'count' | 'bundlesUsing' | 'allBundlesUsing'> {
  const { query } = queries
  return {
    find: finder(query, vault),
    list: (tenantId, filter, slice) => list(query, vault, { tenantId, filter, slice }),
    longValues: (tenantId, keyIds) => longValues(query, vault, { tenantId, keyIds }),
    count: (tenantId, filter) => countMatches(query, tenantId, filter),
    bundlesUsing: usesReader(query),
    allBundlesUsing: (tenantId, keyIds) => allBundlesUsing(query, tenantId, keyIds),
  }
}

const USED_IN_BUNDLES = sql<number>`(
  select count(*) from attachments
  where attachments.tenant_id = keys.tenant_id and attachments.key_id = keys.id
)`

const UPDATED_BY_NAME = sql<string | null>`(select username from users where users.id = keys.updated_by)`

export const SET_BY_NAME = sql<string | null>`(select username from users where users.id = keys.value_set_by)`

function keysOf(query: Query, tenantId: string) {
  return selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value_version', 'is_secret', 'description', 'created_at', 'updated_at'])
    .select(['created_by', 'updated_by', UPDATED_BY_NAME.as('updated_by_name')])
    .select(['value_set_at', 'value_set_by', SET_BY_NAME.as('value_set_by_name')])
    .select(['value_proposed_by', 'value_changed_elsewhere_at'])
    .select(['expires_at', 'rotate_after_days', 'rotate_at', 'template_parts'])
    .select(USED_IN_BUNDLES.as('used_in_bundles'))
}

type ReadRow = Omit<Key, 'value' | 'is_secret' | 'templateParts' | 'version' | 'value_set_by'> & {
  template_parts: string | null
  value: Uint8Array | null
  value_version: number
  is_secret: Flag
  value_set_by: string
  value_set_by_name: string | null
}

async function opened(vault: ValueVault, tenantId: string, rows: readonly ReadRow[]): Promise<Key[]> {
  const { open } = await vault.of(tenantId)
  return rows.map((row): Key => {
    const { value_version: version, value_set_by: id, value_set_by_name: name, template_parts, ...key } = row
    const value_set_by = { kind: 'user', id, name } as const
    const templateParts = partsIn(template_parts)
    return { ...key, version, value_set_by, value: open(row), is_secret: row.is_secret === 1, templateParts }
  })
}

function finder(query: Query, vault: ValueVault): KeyStore['find'] {
  const reading = (values: 'public' | 'all') =>
    preparedStatement((value: (name: 'tenantId' | 'keyId') => string) =>
      keysOf(query, value('tenantId')).select(valueColumn(values)).where('id', '=', value('keyId')),
    )
  const read = { public: reading('public'), all: reading('all') }
  return async (tenantId, keyId, values) => {
    const [key] = await opened(vault, tenantId, await ask(query, read[values]({ tenantId, keyId })))
    return key ?? null
  }
}

function matching({ query, due, isUsed }: KeyFilter, near: RawBuilder<unknown> | null) {
  return (keys: ExpressionBuilder<Tables, 'keys'>) =>
    keys.and([
      ...(near === null ? [] : [sql<boolean>`id in ${near}`]),
      ...(query === undefined || query === '' ? [] : [containsInAnyCase('name', query)]),
      ...(due === undefined
        ? []
        : [keys.or([keys('expires_at', '<=', due.expiresBy), keys('rotate_at', '<=', due.rotateBy)])]),
      ...(isUsed === undefined ? [] : [isInBundle(isUsed)]),
    ])
}

const isInBundle = (isUsed: boolean) => sql<boolean>`${sql.raw(isUsed ? '' : 'not')} exists (
  select 1 from attachments where attachments.tenant_id = keys.tenant_id and attachments.key_id = keys.id
)`

async function list(
  query: Query,
  vault: ValueVault,
  { tenantId, filter, slice }: { tenantId: string; filter: KeyFilter; slice: Slice },
): ReturnType<KeyStore['list']> {
  const near = nearKeys(query)
  // With the plain column, SQLite would look at all names in their order.
  const name = near === null ? sql<string>`name` : sql<string>`name || ''`
  const matches = selectOf(query, 'keys', tenantId).select(name.as('name')).where(matching(filter, near))
  const rows = await keysOf(query, tenantId)
    .select(listedColumns('public'))
    .where('name', 'in', namesIn(matches, slice))
    .orderBy('name')
    .execute()
  const read = rows.map(({ is_long, ...row }) => ({ row, isLong: is_long === 1 }))
  const keys = await opened(
    vault,
    tenantId,
    read.map(({ row }) => row),
  )
  return keys.map((key, index) => ({ ...key, isLong: read[index]?.isLong === true }))
}

async function longValues(
  query: Query,
  vault: ValueVault,
  { tenantId, keyIds }: { tenantId: string; keyIds: readonly string[] },
): ReturnType<KeyStore['longValues']> {
  const rows = await selectOf(query, 'keys', tenantId)
    .select(['id as entry', 'id', 'name', 'value_version', 'is_secret', valueColumn('public')])
    .where('id', 'in', keyIds)
    .execute()
  return openedByName(await vault.of(tenantId), rows)
}

async function countMatches(query: Query, tenantId: string, filter: KeyFilter): Promise<number> {
  const total = await countOf(selectOf(query, 'keys', tenantId).where(matching(filter, nearKeys(query))))
  return total
}

function usesReader(query: Query): KeyStore['bundlesUsing'] {
  const read = preparedStatement((value: (name: 'tenantId' | 'keyId') => string) =>
    selectOf(query, 'attachments', { tenantId: value('tenantId'), key_id: value('keyId') })
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['bundles.id', 'bundles.name', 'attachments.delivered_name as as'])
      .orderBy('bundles.name'),
  )
  return (tenantId, keyId) => ask(query, read({ tenantId, keyId }))
}

async function allBundlesUsing(query: Query, tenantId: string, keyIds: readonly string[]) {
  const rows = await inChunks(keyIds, (ids) =>
    selectOf(query, 'attachments', tenantId)
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['attachments.key_id', 'bundles.id', 'bundles.name', 'attachments.delivered_name as as'])
      .where('attachments.key_id', 'in', ids)
      .orderBy('bundles.name')
      .execute(),
  )
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id)
  return new Map([...byKey].map(([id, uses]) => [id, uses.map(({ key_id: _key, ...use }) => use)]))
}

/** Reads when each value of a bundle was set, and by whom. */
export function createValueOriginStore({ query }: Queries): ValueOriginStore {
  return {
    async of(tenantId, bundleId) {
      const rows = await keysAttached(query, tenantId)
        .leftJoin('users', 'users.id', 'keys.value_set_by')
        .select(['attachments.delivered_name as name', 'keys.value_set_at as changed_at'])
        .select('users.username as changed_by')
        .where('attachments.bundle_id', '=', bundleId)
        .execute()
      return new Map(rows.map(({ name, ...origin }) => [name, origin]))
    },
  }
}
