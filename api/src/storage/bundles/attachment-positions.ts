import { sql } from 'kysely'
import type { Attachment } from '../../domain/library/attachment.ts'
import { chunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { countOf, selectOf, updateOf } from '../base/tenant-rows.ts'

/*
 * The positions of a bundle's attachments count from 0 without gaps. Hold the bundle before you change any of them.
 */

/** Move an attached key and shift the keys between.
 * @returns false when the key is not attached */
export async function move(
  transaction: Query,
  tenantId: string,
  { order, ...attachment }: Attachment & { order: number },
): Promise<boolean> {
  const { bundleId, keyId } = attachment
  const from = await positionOf(transaction, tenantId, attachment)
  if (from === null) return false
  const to = Math.min(order, (await lengthOf(transaction, tenantId, bundleId)) - 1)
  if (to < from) await shift(transaction, { tenantId, bundleId, from: to, to: from - 1, by: 1 })
  else await shift(transaction, { tenantId, bundleId, from: from + 1, to, by: -1 })
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
    .set({ position: to })
    .execute()
  return true
}

/** Positions `from` to `to`, both included, move by one. */
type Shift = { tenantId: string; bundleId: string; from: number; to: number; by: 1 | -1 }

/** Move a range of positions by one. */
export async function shift(transaction: Query, { tenantId, bundleId, from, to, by }: Shift): Promise<void> {
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
    .set((expression) => ({ position: expression('position', '+', by) }))
    .where('position', '>=', from)
    .where('position', '<=', to)
    .execute()
}

/** @returns null when the key is not attached */
export async function positionOf(
  transaction: Query,
  tenantId: string,
  attachment: Attachment,
): Promise<number | null> {
  const row = await selectOf(transaction, 'attachments', {
    tenantId,
    bundle_id: attachment.bundleId,
    key_id: attachment.keyId,
  })
    .select('position')
    .executeTakeFirst()
  return row?.position ?? null
}

/** How many keys are attached to a bundle. */
export async function lengthOf(transaction: Query, tenantId: string, bundleId: string): Promise<number> {
  const total = await countOf(selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId }))
  return total
}

/** Number the keys of bundles from 0 again, in their order, after some were removed. */
export async function closeGaps(
  transaction: Query,
  tenantId: string,
  bundleIds: readonly string[],
): Promise<void> {
  for (const some of chunks(bundleIds)) {
    await updateOf(transaction, 'attachments', tenantId)
      .from((attachments) =>
        attachments
          .selectFrom('attachments')
          .select(['bundle_id', 'key_id'])
          .select(sql<number>`row_number() over (partition by bundle_id order by position) - 1`.as('place'))
          .where('tenant_id', '=', tenantId)
          .where('bundle_id', 'in', some)
          .as('numbered'),
      )
      .set((column) => ({ position: column.ref('numbered.place') }))
      .whereRef('attachments.bundle_id', '=', 'numbered.bundle_id')
      .whereRef('attachments.key_id', '=', 'numbered.key_id')
      .whereRef('attachments.position', '!=', 'numbered.place')
      .execute()
  }
}
