import type { AuditAction } from '@keyferry/contract'
import type { EventData } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { Attachment, AttachmentChange, AttachmentStore } from '../../domain/library/attachment.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { deleteOf, updateOf } from '../base/tenant-rows.ts'
import { deliveredName, isDelivered, keyOfEvent } from './attachment-names.ts'
import { lengthOf, positionOf, shift } from './attachment-positions.ts'
import { deliveredAs, holdBundle, stampBundle } from './bundle-changes.ts'

type ChangeOfPlace = Attachment & { tenantId: string; stamp: Stamp; action: AuditAction; data?: EventData }

/** Lock a bundle, change what is in it, stamp it and record the event, in one transaction.
 * @returns false when there is no such bundle, or nothing to change in it */
export function changeInBundle(
  { write }: Queries,
  { action, data, ...place }: ChangeOfPlace,
  change: (transaction: Query) => Promise<boolean>,
): Promise<boolean> {
  return write(async (transaction) => {
    const isHeld = await holdBundle(transaction, place.tenantId, place.bundleId)
    const as = await deliveredName(transaction, place.tenantId, place)
    if (!isHeld || as === null || !(await change(transaction))) return false
    const key = await keyOfEvent(transaction, place)
    const told = { key, ...deliveredAs(key.name, as), ...data }
    await stampBundle(transaction, place, { action, data: told })
    return true
  })
}

/** Detach a key and close the gap, in a transaction that holds the bundle.
 * @returns false when the key is not attached */
export async function detach(transaction: Query, tenantId: string, attachment: Attachment): Promise<boolean> {
  const { bundleId, keyId } = attachment
  const position = await positionOf(transaction, tenantId, attachment)
  if (position === null) return false
  await deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId }).execute()
  const end = await lengthOf(transaction, tenantId, bundleId)
  await shift(transaction, { tenantId, bundleId, from: position, to: end, by: -1 })
  return true
}

type Change = { tenantId: string; change: AttachmentChange; stamp: Stamp }

/** Change an attachment, stamp its bundle and record the event. */
export async function changeAttachment(
  transaction: Recorded,
  { tenantId, change, stamp }: Change,
): ReturnType<AttachmentStore['change']> {
  const { bundleId, as } = change
  if (!(await holdBundle(transaction, tenantId, bundleId))) return 'absent'
  const current = await deliveredName(transaction, tenantId, change)
  if (current === null) return 'absent'
  const isRenamed = as !== undefined && as !== current
  if (isRenamed && (await isDelivered(transaction, { tenantId, bundleId, name: as }))) return 'name_taken'
  const keyId = change.newKeyId ?? change.keyId
  const isOther = keyId !== change.keyId
  if (isOther && (await positionOf(transaction, tenantId, { bundleId, keyId })) !== null) return 'already'
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: change.keyId })
    .set({
      key_id: keyId,
      delivered_name: as ?? current,
      ...(change.required === undefined ? {} : { required: flag(change.required) }),
    })
    .execute()
  const data = {
    key: await keyOfEvent(transaction, { tenantId, keyId }),
    ...(isOther ? { replaced: await keyOfEvent(transaction, { tenantId, keyId: change.keyId }) } : {}),
    ...(as === undefined ? {} : { as }),
    ...(change.required === undefined ? {} : { required: change.required }),
  }
  const place = { tenantId, bundleId, stamp }
  await stampBundle(transaction, place, { action: 'bundle.attachment_changed', data })
  return 'changed'
}
