import { setImmediate as turn } from 'node:timers/promises'
import type { Bounds } from '../../domain/base/bounds.ts'
import type { Duplicate, DuplicateStore } from '../../domain/library/duplicate.ts'
import { chunks } from '../base/chunks.ts'
import { isTaken } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { requireWithinBound } from '../bundles/bundle-bound.ts'
import { holdBundle } from '../bundles/bundle-changes.ts'
import { bundleEvent, insertBundle } from '../bundles/bundles.ts'
import { copyRules, weakerCopies } from '../bundles/policies.ts'
import { insertCopies } from '../keys/own-copies.ts'
import type { TenantVault, ValueVault } from '../keys-at-rest/value-vault.ts'

type Outcome = Awaited<ReturnType<DuplicateStore['duplicate']>>

/** Thrown to roll back a transaction that has written already. */
class Refused extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the duplicate is refused')
    this.outcome = outcome
  }
}

export function duplicator(
  { write }: Queries,
  vault: ValueVault,
  bounds: Bounds,
): DuplicateStore['duplicate'] {
  return async (tenantId, duplicate) => {
    const tenantVault = await vault.toWrite(tenantId)
    try {
      return await write(async (transaction) => {
        const outcome = await copyBundle(transaction, tenantVault, { tenantId, duplicate })
        const place = { tenantId, bundleId: duplicate.id }
        if (outcome === 'duplicated') await requireWithinBound(transaction, place, bounds)
        return outcome
      })
    } catch (error) {
      if (error instanceof Refused) return error.outcome
      if (isTaken(error)) return 'key_name_taken'
      throw error
    }
  }
}

type Copying = { tenantId: string; duplicate: Duplicate }

async function copyBundle(
  transaction: Recorded,
  vault: TenantVault,
  { tenantId, duplicate }: Copying,
): Promise<Outcome> {
  const { of, id, name, stamp } = duplicate
  if (!(await holdBundle(transaction, tenantId, of))) return 'absent'
  if (await isFound(selectOf(transaction, 'legacy_items', { tenantId, bundle_id: of })))
    return 'has_legacy_items'
  const { name: originalName, ...texts } = await textsOf(transaction, tenantId, of)
  const fresh = { id, tenant_id: tenantId, name, production: 'by_name' } as const
  const made = { created_at: stamp.at, created_by: stamp.by, updated_at: stamp.at, updated_by: stamp.by }
  const isNew = await insertBundle(transaction, { ...fresh, ...texts, ...made })
  if (!isNew) return 'name_taken'
  await copyRules(transaction, tenantId, { from: of, to: id })
  const copied = await copyAttachments(transaction, vault, { tenantId, duplicate })
  const weaker = await weakerCopies(transaction, { tenantId, bundleId: id }, copied)
  const data = { bundle: { id: of, name: originalName }, ...weaker }
  const event = { action: 'bundle.duplicated', data, stamp } as const
  transaction.record(bundleEvent(tenantId, { id, name }, event))
  return 'duplicated'
}

function textsOf(transaction: Query, tenantId: string, bundleId: string) {
  return selectOf(transaction, 'bundles', { tenantId, id: bundleId })
    .select(['name', 'description', 'tags'])
    .executeTakeFirstOrThrow()
}

/** Attach the keys of the bundle to its duplicate, or copies of them.
 * @returns the ids of the keys whose values were copied
 * @throws Refused */
async function copyAttachments(
  transaction: Recorded,
  vault: TenantVault,
  { tenantId, duplicate }: Copying,
): Promise<string[]> {
  const { of, id, own, newCopy, stamp } = duplicate
  const attached = await selectOf(transaction, 'attachments', { tenantId, bundle_id: of })
    .select(['key_id', 'tenant_id', 'delivered_name', 'position', 'required'])
    .execute()
  const keyIds = new Map(attached.map(({ delivered_name, key_id }) => [delivered_name, key_id]))
  const notDelivered = [...own].filter((name) => !keyIds.has(name))
  if (notDelivered.length > 0) throw new Refused({ notDelivered })
  const copies = new Map([...own].map((name) => [keyIds.get(name) ?? '', newCopy(name)]))
  const made = await insertCopies(transaction, vault, { tenantId, bundleId: of, copies, stamp })
  if (made === 'name_taken') throw new Refused('key_name_taken')
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
