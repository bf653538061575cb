import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Bounds } from '../../domain/base/bounds.ts'
import type { Duplicate, DuplicateStore } from '../../domain/library/duplicate.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { requireWithinBound } from '../bundles/bundle-bound.ts'
import { holdBundle } from '../bundles/bundle-changes.ts'
import { bundleEvent, insertBundle } from '../bundles/bundles.ts'
import { copyRules } from '../bundles/policies.ts'
import { giveOwnCopy } from '../keys/own-copies.ts'
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
  const made = { created_at: stamp.at, created_by: stamp.by, updated_at: stamp.at, updated_by: stamp.by }
  const isNew = await insertBundle(transaction, { id, tenant_id: tenantId, name, ...texts, ...made })
  if (!isNew) return 'name_taken'
  await copyAttachments(transaction, tenantId, { from: of, to: id })
  await copyRules(transaction, tenantId, { from: of, to: id })
  const data = { bundle: { id: of, name: originalName } }
  const event = { action: 'bundle.duplicated', data, stamp } as const
  transaction.record(bundleEvent(tenantId, { id, name }, event))
  await copyKeys(transaction, vault, { tenantId, duplicate })
  return 'duplicated'
}

function textsOf(transaction: Query, tenantId: string, bundleId: string) {
  return selectOf(transaction, 'bundles', { tenantId, id: bundleId })
    .select(['name', 'description', 'tags'])
    .executeTakeFirstOrThrow()
}

const COPIED = ['key_id', 'tenant_id', 'delivered_name', 'position', 'required'] as const

async function copyAttachments(
  transaction: Query,
  tenantId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await transaction
    .insertInto('attachments')
    .columns(['bundle_id', ...COPIED])
    .expression((attachments) =>
      attachments
        .selectFrom('attachments')
        .select([sql<string>`${to}`.as('bundle_id'), ...COPIED])
        .where('bundle_id', '=', from)
        .where('tenant_id', '=', tenantId),
    )
    .execute()
}

const COPIES_AT_ONCE = 100

/** @throws Refused */
async function copyKeys(
  transaction: Recorded,
  vault: TenantVault,
  { tenantId, duplicate }: Copying,
): Promise<void> {
  const { id: bundleId, own, newCopy, stamp } = duplicate
  if (own.size === 0) return
  const keyIds = await keyIdsByName(transaction, tenantId, bundleId)
  const notDelivered = [...own].filter((name) => !keyIds.has(name))
  if (notDelivered.length > 0) throw new Refused({ notDelivered })
  let copied = 0
  for (const name of own) {
    const attachment = { bundleId, keyId: keyIds.get(name) ?? '' }
    const copy = { ...newCopy(name), stamp }
    const outcome = await giveOwnCopy(transaction, vault, { tenantId, attachment, copy })
    if (outcome === 'name_taken') throw new Refused('key_name_taken')
    copied += 1
    // SQLite answers without a pause, so many copies would delay other calls.
    if (copied % COPIES_AT_ONCE === 0) await turn()
  }
}

async function keyIdsByName(
  transaction: Query,
  tenantId: string,
  bundleId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
    .select(['delivered_name', 'key_id'])
    .execute()
  return new Map(rows.map(({ delivered_name, key_id }) => [delivered_name, key_id]))
}
