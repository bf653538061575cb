import { sql } from 'kysely'
import type { Attachment } from '../../domain/library/attachment.ts'
import { chunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { countOf, isFound, selectOf, updateOf } from '../base/tenant-rows.ts'

/*
 * The positions of a bundle's attachments count from 0 without gaps. Lock the bundle before you change any of them.
 */

/** Move an attached key and shift the keys between. */
export async function move(
  transaction: Query,
  { tenantId, bundleId, keyId }: Attachment & { tenantId: string },
  { from, order }: { from: number; order: number },
): Promise<void> {
  const to = Math.min(order, (await lengthOf(transaction, tenantId, bundleId)) - 1)
  if (to < from) await shift(transaction, { tenantId, bundleId, from: to, to: from - 1, by: 1 })
  else await shift(transaction, { tenantId, bundleId, from: from + 1, to, by: -1 })
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
    .set({ position: to })
    .execute()
}

/** Positions `from` to `to`, both included, move by one. */
type Shift = { tenantId: string; bundleId: string; from: number; to: number; by: 1 | -1 }

export async function shift(transaction: Query, { tenantId, bundleId, from, to, by }: Shift): Promise<void> {
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
    .set((expression) => ({ position: expression('position', '+', by) }))
    .where('position', '>=', from)
    .where('position', '<=', to)
    .execute()
}

export function lengthOf(transaction: Query, tenantId: string, bundleId: string): Promise<number> {
  return countOf(selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId }))
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

/** Whether a key is attached to a bundle under this name. */
export function isDelivered(
  transaction: Query,
  { tenantId, bundleId, name }: { tenantId: string; bundleId: string; name: string },
): Promise<boolean> {
  const place = { tenantId, bundle_id: bundleId, delivered_name: name }
  return isFound(selectOf(transaction, 'attachments', place))
}

/** The library name of a key; null when the tenant has no such key. */
export async function keyNameOf(transaction: Query, tenantId: string, keyId: string): Promise<string | null> {
  const row = await selectOf(transaction, 'keys', { tenantId, id: keyId }).select('name').executeTakeFirst()
  return row?.name ?? null
}

/** Where a bundle has a key, under which name, and whether it is required; undefined: nowhere. */
export function attachmentOf(
  transaction: Query,
  { tenantId, bundleId, keyId }: Attachment & { tenantId: string },
) {
  return selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
    .select(['delivered_name', 'position', 'required'])
    .executeTakeFirst()
}

/** The library key as an event names it. */
export async function keyOfEvent(
  transaction: Query,
  tenantId: string,
  keyId: string,
): Promise<{ id: string; name: string }> {
  // A key that is attached is in the library.
  return { id: keyId, name: (await keyNameOf(transaction, tenantId, keyId)) ?? '' }
}

type NewAttachmentRow = { keyId: string; name: string; position: number; required?: boolean }

export function attachmentRow(
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  { keyId, name, position, required = false }: NewAttachmentRow,
) {
  const placed = { tenant_id: tenantId, bundle_id: bundleId, key_id: keyId }
  return { ...placed, delivered_name: name, position, required: flag(required) }
}
