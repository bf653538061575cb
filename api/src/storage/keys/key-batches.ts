import type { Bounds } from '../../domain/base/bounds.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import {
  type KeyBatchStore,
  type KeyOfBatch,
  namesDelivered,
  requireAll,
} from '../../domain/library/key-batch.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'
import { attachmentRow, closeGaps, lengthOf } from '../bundles/attachment-positions.ts'
import { deliveredAs, lockBundle, requireWithinBound, stampBundleForEach } from '../bundles/bundle-changes.ts'
import { changersOf, reading } from '../bundles/value-rights.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'
import { lockTenant } from '../people/tenants.ts'
import { changeLocked, type KeyChangeParts, lockKeysOf } from './key-changes.ts'
import { removeKeys } from './keys.ts'

export function createKeyBatchStore(queries: Queries, vault: ValueVault, bounds: Bounds): KeyBatchStore {
  const { query } = queries
  const inOne = wholeOrNothing(queries)
  return {
    async find(tenantId, keyIds) {
      const changers = await changersOf(reading(query), tenantId, keyIds)
      const keys = await keysOf(query, tenantId, keyIds)
      return keys.map((key) => ({ ...key, changers: changers.get(key.id) ?? 'owner' }))
    },
    uses: (tenantId, keyIds) => usesOf(query, tenantId, keyIds),
    attach: (tenantId, change) =>
      inOne(tenantId, (transaction) => attach(transaction, { tenantId, ...change }, bounds)),
    detach: (tenantId, change) =>
      inOne(tenantId, (transaction) => detach(transaction, { tenantId, ...change })),
    delete: (tenantId, change) =>
      inOne(tenantId, async (transaction) => {
        const removed = await removeKeys(transaction, { tenantId, ...change })
        requireAll(change.keyIds, removed)
        return removed.length
      }),
    async declareSecret(tenantId, change) {
      const { versionsKept } = bounds
      const locked = await vault.toWrite(tenantId)
      return inOne(tenantId, async (transaction) => {
        const parts = { versionsKept, vault: await locked(transaction), transaction }
        return declareSecret(parts, { tenantId, ...change })
      })
    },
  }
}

// The keys of a tenant that one transaction changes are locked in no order: such transactions follow one another.
function wholeOrNothing({ write }: Queries) {
  return (tenantId: string, change: (transaction: Recorded) => Promise<number>) =>
    write(async (transaction) => {
      await lockTenant(transaction, tenantId)
      return change(transaction)
    })
}

function keysOf(query: Query, tenantId: string, keyIds: readonly string[]): Promise<KeyOfBatch[]> {
  return selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value_set_by', 'value_proposed_by'])
    .where('id', 'in', keyIds)
    .execute()
}

/** The keys in the order of the ids.
 * @throws DomainError not_found */
function inOrder<K extends { id: string }>(keyIds: readonly string[], keys: readonly K[]): K[] {
  requireAll(keyIds, keys)
  const byId = new Map(keys.map((key) => [key.id, key]))
  return keyIds.flatMap((id) => byId.get(id) ?? [])
}

function usesOf(query: Query, tenantId: string, keyIds: readonly string[]) {
  return selectOf(query, 'attachments', tenantId)
    .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
    .where('attachments.key_id', 'in', keyIds)
    .select(({ fn }) => [
      'bundles.id',
      'bundles.name',
      'bundles.created_by',
      fn.countAll<number>().as('key_count'),
    ])
    .groupBy(['bundles.id', 'bundles.name', 'bundles.created_by'])
    .orderBy('bundles.name')
    .execute()
}

type BatchKeys = { tenantId: string; keyIds: readonly string[] }
type InBundle = BatchKeys & { bundleId: string; stamp: Stamp }

async function attach(transaction: Recorded, place: InBundle, bounds: Bounds): Promise<number> {
  const { tenantId, bundleId, keyIds } = place
  await lockBundle(transaction, tenantId, bundleId)
  const keys = inOrder(keyIds, await keysOf(transaction, tenantId, keyIds))
  const delivered = await deliveredBy(transaction, place)
  const attached = new Set(delivered.map(({ key_id }) => key_id))
  const names = new Set(delivered.map(({ delivered_name }) => delivered_name))
  const added = keys.filter(({ id }) => !attached.has(id))
  const taken = added.filter(({ name }) => names.has(name))
  if (taken.length > 0) throw namesDelivered(taken.map(({ name }) => name))
  if (added.length === 0) return 0
  const first = await lengthOf(transaction, tenantId, bundleId)
  const rows = added.map(({ id: keyId, name }, index) =>
    attachmentRow(place, { keyId, name, position: first + index }),
  )
  await transaction.insertInto('attachments').values(rows).execute()
  await requireWithinBound(transaction, { tenantId, bundleId }, bounds)
  const events = added.map(({ id, name }) => ({ key: { id, name }, required: false }))
  await stampBundleForEach(transaction, { bundleId, action: 'bundle.attached', events }, place.stamp)
  return added.length
}

function deliveredBy(transaction: Query, { tenantId, bundleId }: InBundle) {
  return selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
    .select(['key_id', 'delivered_name'])
    .execute()
}

async function detach(transaction: Recorded, place: InBundle): Promise<number> {
  const { tenantId, bundleId, keyIds } = place
  await lockBundle(transaction, tenantId, bundleId)
  const keys = inOrder(keyIds, await keysOf(transaction, tenantId, keyIds))
  const rows = await deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
    .where('key_id', 'in', keyIds)
    .returning(['key_id', 'delivered_name'])
    .execute()
  if (rows.length === 0) return 0
  await closeGaps(transaction, tenantId, [bundleId])
  const delivered = new Map(rows.map(({ key_id, delivered_name }) => [key_id, delivered_name]))
  const events = keys.flatMap(({ id, name }) => {
    const as = delivered.get(id)
    return as === undefined ? [] : [{ key: { id, name }, ...deliveredAs(name, as) }]
  })
  await stampBundleForEach(transaction, { bundleId, action: 'bundle.detached', events }, place.stamp)
  return rows.length
}

async function declareSecret(
  parts: KeyChangeParts,
  { tenantId, keyIds, ...change }: BatchKeys & { stamp: Stamp; editor: Caller },
): Promise<number> {
  const locked = inOrder(keyIds, await lockKeysOf(parts.transaction, tenantId, keyIds))
  const declared = locked.filter(({ is_secret }) => is_secret === 0)
  for (const current of declared)
    await changeLocked(parts, { current, change: { is_secret: true, ...change } })
  return declared.length
}
