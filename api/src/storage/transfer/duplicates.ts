import type { Assurance } from '@keyferry/contract'
import type { Bounds } from '../../domain/base/bounds.ts'
import { firstStamp, type Stamp } from '../../domain/base/stamp.ts'
import { turn } from '../../domain/base/turns.ts'
import { bundleNameTaken } from '../../domain/library/bundle.ts'
import {
  type Duplicate,
  type DuplicateStore,
  hasLegacyItems,
  ownNotDelivered,
} from '../../domain/library/duplicate.ts'
import { keyNameTaken } from '../../domain/library/key.ts'
import { chunks } from '../base/chunks.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { bundleEvent, lockBundle, requireWithinBound } from '../bundles/bundle-changes.ts'
import { insertBundle } from '../bundles/bundles.ts'
import { weakerCopies } from '../bundles/policies.ts'
import { takeRules } from '../bundles/policy-changes.ts'
import { insertCopies } from '../keys/own-copies.ts'
import type { TenantVault, ValueVault } from '../keys-at-rest/value-vault.ts'

export function duplicator(
  { write }: Queries,
  vault: ValueVault,
  bounds: Bounds,
): DuplicateStore['duplicate'] {
  return async (duplicate, stamp) => {
    const { tenantId } = stamp
    const locked = await vault.toWrite(tenantId)
    return refusing(isTaken, keyNameTaken, () =>
      write(async (transaction) => {
        const copying = { duplicate, stamp, assurance: bounds.assurance }
        await copyBundle(transaction, await locked(transaction), copying)
        await requireWithinBound(transaction, { tenantId, bundleId: duplicate.id }, bounds)
      }),
    )
  }
}

type BundleCopy = { duplicate: Duplicate; stamp: Stamp; assurance: Assurance }

async function copyBundle(
  transaction: Recorded,
  vault: TenantVault,
  { duplicate, stamp, assurance }: BundleCopy,
): Promise<void> {
  const { tenantId } = stamp
  const { of, id, name } = duplicate
  await lockBundle(transaction, tenantId, of)
  if (await isFound(selectOf(transaction, 'legacy_items', { tenantId, bundle_id: of })))
    throw hasLegacyItems()
  const { name: originalName, ...texts } = await textsOf(transaction, tenantId, of)
  const fresh = { id, tenant_id: tenantId, name, production: 'by_name' } as const
  const isNew = await insertBundle(transaction, { ...fresh, ...texts, ...firstStamp(stamp) })
  if (!isNew) throw bundleNameTaken()
  const from = { id: of, name: originalName }
  await takeRules(transaction, { id, from, to: { ...fresh, tags: texts.tags } }, stamp)
  const copied = await copyAttachments(transaction, vault, { duplicate, stamp })
  const weaker = await weakerCopies(transaction, { tenantId, bundleId: id, assurance }, copied)
  const data = { bundle: { id: of, name: originalName }, ...weaker }
  transaction.record(bundleEvent({ id, name }, stamp, { action: 'bundle.duplicated', data }))
}

function textsOf(transaction: Query, tenantId: string, bundleId: string) {
  return selectOf(transaction, 'bundles', { tenantId, id: bundleId })
    .select(['name', 'description', 'tags'])
    .executeTakeFirstOrThrow()
}

/** Attach the keys of the bundle to its duplicate, or copies of them.
 * @returns the ids of the keys whose values were copied
 * @throws DomainError invalid (a name in `own` that the bundle does not deliver) · conflict */
async function copyAttachments(
  transaction: Recorded,
  vault: TenantVault,
  { duplicate: { of, id, own, newCopy }, stamp }: Omit<BundleCopy, 'assurance'>,
): Promise<string[]> {
  const { tenantId } = stamp
  const attached = await selectOf(transaction, 'attachments', { tenantId, bundle_id: of })
    .select(['key_id', 'tenant_id', 'delivered_name', 'position', 'required'])
    .execute()
  const keyIds = new Map(attached.map(({ delivered_name, key_id }) => [delivered_name, key_id]))
  const notDelivered = [...own].filter((name) => !keyIds.has(name))
  if (notDelivered.length > 0) throw ownNotDelivered(notDelivered)
  const copies = new Map([...own].map((name) => [keyIds.get(name) ?? '', newCopy(name)]))
  const made = await insertCopies(transaction, vault, { tenantId, bundleId: of, copies, stamp })
  for (const rows of chunks(attached)) {
    const placed = rows.map((row) => ({ ...row, key_id: made.get(row.key_id)?.key.id ?? row.key_id }))
    await transaction.insertAll(
      'attachments',
      placed.map((row) => ({ ...row, bundle_id: id })),
    )
    await turn()
  }
  return [...copies].flatMap(([keyId, { value }]) => (value === undefined ? [keyId] : []))
}
