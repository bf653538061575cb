import type { Attachment } from '../../domain/library/attachment.ts'
import type { Query } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'

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

/** The name under which a bundle delivers a key; null when the key is not attached. */
export async function deliveredName(
  transaction: Query,
  tenantId: string,
  { bundleId, keyId }: Attachment,
): Promise<string | null> {
  const row = await selectOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
    .select('delivered_name')
    .executeTakeFirst()
  return row?.delivered_name ?? null
}

/** The library key as an event names it. */
export async function keyOfEvent(
  transaction: Query,
  { tenantId, keyId }: { tenantId: string; keyId: string },
): Promise<{ id: string; name: string }> {
  // A key that is attached is in the library.
  return { id: keyId, name: (await keyNameOf(transaction, tenantId, keyId)) ?? '' }
}
