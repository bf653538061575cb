import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { Bounds } from '../../domain/base/bounds.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { mapInTurns, turn } from '../../domain/base/turns.ts'
import type { LongValues } from '../../domain/library/bundle-entry.ts'
import { keyNotFound } from '../../domain/library/key.ts'
import type { BundlePlace, LegacyItemStore, LegacyItemWrite } from '../../domain/library/legacy-item.ts'
import type { WantedValues } from '../../domain/library/wanted-values.ts'
import { chunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing, hasChanged } from '../base/statements.ts'
import { type Flag, flag } from '../base/tables.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import {
  listedColumns,
  openedByName,
  type TenantVault,
  VALUE_BYTES,
  type ValueVault,
  valueColumn,
} from '../keys-at-rest/value-vault.ts'
import { lockBundle, requireWithinBound, stampBundle } from './bundle-changes.ts'

/** All of the store but the conversion into library keys. */
export function createLegacyItemStore(
  queries: Queries,
  vault: ValueVault,
  bounds: Bounds,
): Omit<LegacyItemStore, 'convert'> {
  const { query } = queries
  return {
    list: lister(query, vault),
    longValues: (tenantId, bundleId, wanted) =>
      longValues(query, vault, { place: { tenantId, bundleId }, wanted }),
    upsert: (place, items, stamp) => upsert(queries, { vault, bounds }, { place, items, stamp }),
    delete: changing(queries, remove),
  }
}

async function remove(
  transaction: Recorded,
  { bundleId, name }: { bundleId: string; name: string },
  stamp: Stamp,
): Promise<void> {
  const place = { tenantId: stamp.tenantId, bundleId }
  await lockBundle(transaction, place.tenantId, bundleId)
  await removeLocked(transaction, place, name)
  await stampBundle(transaction, { bundleId, action: 'item.deleted', data: { names: [name] } }, stamp)
}

function listed(query: Query, place: BundlePlace, values: WantedValues) {
  return itemsOf(query, place).select(VALUE_BYTES).select(listedColumns(values)).orderBy('name')
}

function lister(query: Query, vault: ValueVault): LegacyItemStore['list'] {
  const read = preparedStatement((value: (name: 'tenantId' | 'bundleId') => string) =>
    listed(query, { tenantId: value('tenantId'), bundleId: value('bundleId') }, 'public'),
  )
  return async (tenantId, bundleId, values) => {
    const place = { tenantId, bundleId }
    const rows = await ask(query, values === 'public' ? read(place) : listed(query, place, values))
    const { open } = await vault.of(tenantId)
    return mapInTurns(rows, (row) => ({
      name: row.name,
      value: open(row),
      is_secret: row.is_secret === 1,
      isLong: row.is_long === 1,
      bytes: row.bytes,
    }))
  }
}

async function longValues(
  query: Query,
  vault: ValueVault,
  { place, wanted }: { place: BundlePlace; wanted: LongValues },
): Promise<ReadonlyMap<string, Plaintext>> {
  if (wanted.names.length === 0) return new Map()
  const rows = await itemsOf(query, place)
    .select(['name as entry', valueColumn(wanted.values)])
    .where('name', 'in', wanted.names)
    .execute()
  return openedByName(await vault.of(place.tenantId), rows)
}

type Upsert = { place: BundlePlace; items: readonly LegacyItemWrite[]; stamp: Stamp }
async function upsert(
  { write }: Queries,
  { vault, bounds }: { vault: ValueVault; bounds: Bounds },
  { place, items, stamp }: Upsert,
) {
  const locked = await vault.toWrite(place.tenantId)
  return write(async (transaction) => {
    const { encrypt } = await locked(transaction)
    await lockBundle(transaction, place.tenantId, place.bundleId)
    const stored = await itemsOf(transaction, place).execute()
    const known: AttachedByName = new Map(stored.map((row) => [row.name, row]))
    const fresh = items.filter(({ name }) => !known.has(name))
    const changed = items.filter(({ name }) => known.has(name))
    const written = { place, now: stamp.at, encrypt }
    for (const some of chunks(fresh)) {
      const rows = some.map((item) => newRow({ ...written, item }))
      await transaction.insertInto('legacy_items').values(rows).execute()
      // A long import lets other calls have their turn.
      await turn()
    }
    if (fresh.length > 0) await requireWithinBound(transaction, place, bounds)
    for (const some of chunks(changed)) {
      for (const item of some) await update(transaction, { ...written, item, known })
      await turn()
    }
    const counts = { created: fresh.length, updated: changed.length }
    const data = { ...counts, names: items.map(({ name }) => name) }
    await stampBundle(transaction, { bundleId: place.bundleId, action: 'item.changed', data }, stamp)
    return counts
  })
}

type AttachedByName = ReadonlyMap<
  string,
  { id: string; name: string; value_version: number; is_secret: Flag }
>

type ItemWrite = { item: LegacyItemWrite; place: BundlePlace; now: string; encrypt: TenantVault['encrypt'] }

function newRow({ item, place, now, encrypt }: ItemWrite) {
  const { id, name, value, is_secret } = item
  return encrypt(value, {
    id,
    bundle_id: place.bundleId,
    tenant_id: place.tenantId,
    name,
    value_version: 1,
    is_secret: flag(is_secret ?? true),
    created_at: now,
    updated_at: now,
  })
}

async function update(
  transaction: Query,
  { item, known, place, now, encrypt }: ItemWrite & { known: AttachedByName },
) {
  const row = known.get(item.name)
  if (!row) return
  const { id, name } = row
  const is_secret = item.is_secret === undefined ? row.is_secret : flag(item.is_secret)
  const changed = { id, name, is_secret, value_version: row.value_version + 1, updated_at: now }
  await updateOf(transaction, 'legacy_items', { tenantId: place.tenantId, id })
    .set(encrypt(item.value, changed))
    .execute()
}

/** The items of a bundle, without their values. */
export function itemsOf(transaction: Query, { tenantId, bundleId }: BundlePlace) {
  return selectOf(transaction, 'legacy_items', { tenantId, bundle_id: bundleId }).select([
    'id',
    'name',
    'value_version',
    'is_secret',
  ])
}

/** Remove an item in a transaction that has locked its bundle.
 * @throws DomainError not_found */
export async function removeLocked(
  transaction: Query,
  { tenantId, bundleId }: BundlePlace,
  name: string,
): Promise<void> {
  const item = deleteOf(transaction, 'legacy_items', { tenantId, bundle_id: bundleId, name })
  if (!(await hasChanged(item))) throw keyNotFound()
}
