import type { Bounds } from '../../domain/base/bounds.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import {
  type Attachment,
  type AttachmentChange,
  type AttachmentStore,
  alreadyAttached,
  deliveredNameTaken,
  type NewAttachment,
  type NewPosition,
} from '../../domain/library/attachment.ts'
import { keyNotFound } from '../../domain/library/key.ts'
import { isMissingReference, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'
import { flag } from '../base/tables.ts'
import { deleteOf, updateOf } from '../base/tenant-rows.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'
import { readAttachedKeys } from './attached-keys.ts'
import {
  attachmentOf,
  attachmentRow,
  isDelivered,
  keyNameOf,
  keyOfEvent,
  lengthOf,
  move,
  shift,
} from './attachment-positions.ts'
import { deliveredAs, lockBundle, requireWithinBound, stampBundle } from './bundle-changes.ts'

// A key can be deleted after it was looked up.
export function createAttachmentStore(queries: Queries, vault: ValueVault, bounds: Bounds): AttachmentStore {
  const { write } = queries
  return {
    ...readAttachedKeys(queries, vault),
    insert: (attachment, stamp) =>
      refusing(isMissingReference, keyNotFound, () =>
        write(async (transaction) => {
          const { bundleId, keyId, as, required } = attachment
          await insertLocked(transaction, stamp.tenantId, attachment)
          await requireWithinBound(transaction, { tenantId: stamp.tenantId, bundleId }, bounds)
          const key = await keyOfEvent(transaction, stamp.tenantId, keyId)
          const data = { key, required, ...(as === undefined ? {} : { as }) }
          await stampBundle(transaction, { bundleId, action: 'bundle.attached', data }, stamp)
        }),
      ),
    delete: changing(queries, detach),
    change: (change, stamp) =>
      refusing(isMissingReference, keyNotFound, () =>
        write((transaction) => changeAttachment(transaction, change, stamp)),
      ),
    move: changing(queries, reorder),
  }
}

async function lockedAttachment(transaction: Query, tenantId: string, place: Attachment) {
  await lockBundle(transaction, tenantId, place.bundleId)
  const attachment = await attachmentOf(transaction, { tenantId, ...place })
  if (!attachment) throw keyNotFound()
  return attachment
}

/** Detach a key and close the gap. */
async function detach(transaction: Recorded, { bundleId, keyId }: Attachment, stamp: Stamp): Promise<void> {
  const { tenantId } = stamp
  const { delivered_name: as, position } = await lockedAttachment(transaction, tenantId, { bundleId, keyId })
  await deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId }).execute()
  const end = await lengthOf(transaction, tenantId, bundleId)
  await shift(transaction, { tenantId, bundleId, from: position, to: end, by: -1 })
  const key = await keyOfEvent(transaction, tenantId, keyId)
  const data = { key, ...deliveredAs(key.name, as) }
  await stampBundle(transaction, { bundleId, action: 'bundle.detached', data }, stamp)
}

async function reorder(
  transaction: Recorded,
  { order, expected, ...place }: NewPosition,
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const { delivered_name: as, position: from } = await lockedAttachment(transaction, tenantId, place)
  requireExpected({ order, expected }, { order: from })
  await move(transaction, { tenantId, ...place }, { from, order })
  const key = await keyOfEvent(transaction, tenantId, place.keyId)
  const data = { key, ...deliveredAs(key.name, as), position: order }
  await stampBundle(transaction, { bundleId: place.bundleId, action: 'bundle.reordered', data }, stamp)
}

/** Change an attachment, stamp its bundle and record the event. */
async function changeAttachment(transaction: Recorded, change: AttachmentChange, stamp: Stamp) {
  const { tenantId } = stamp
  const { bundleId, as } = change
  const { delivered_name: current, required } = await lockedAttachment(transaction, tenantId, change)
  requireExpected(change, { as: current, required: required === 1 })
  const isRenamed = as !== undefined && as !== current
  if (isRenamed && (await isDelivered(transaction, { tenantId, bundleId, name: as })))
    throw deliveredNameTaken(as)
  const keyId = change.newKeyId ?? change.keyId
  const isOther = keyId !== change.keyId
  if (isOther && (await attachmentOf(transaction, { tenantId, bundleId, keyId }))) throw alreadyAttached()
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: change.keyId })
    .set({
      key_id: keyId,
      delivered_name: as ?? current,
      ...(change.required === undefined ? {} : { required: flag(change.required) }),
    })
    .execute()
  const data = {
    key: await keyOfEvent(transaction, tenantId, keyId),
    ...(isOther ? { replaced: await keyOfEvent(transaction, tenantId, change.keyId) } : {}),
    ...(as === undefined ? {} : { as }),
    ...(change.required === undefined ? {} : { required: change.required }),
  }
  await stampBundle(transaction, { bundleId, action: 'bundle.attachment_changed', data }, stamp)
}

/** Attach a key within a transaction, which locks the bundle from then on. The caller stamps the bundle.
 * @throws DomainError not_found (bundle or key) · conflict (attached already) · name_taken */
export async function insertLocked(
  transaction: Query,
  tenantId: string,
  { bundleId, keyId, as, order, required }: NewAttachment,
): Promise<void> {
  await lockBundle(transaction, tenantId, bundleId)
  const keyName = await keyNameOf(transaction, tenantId, keyId)
  if (keyName === null) throw keyNotFound()
  if (await attachmentOf(transaction, { tenantId, bundleId, keyId })) throw alreadyAttached()
  const name = as ?? keyName
  if (await isDelivered(transaction, { tenantId, bundleId, name })) throw deliveredNameTaken(as)
  const length = await lengthOf(transaction, tenantId, bundleId)
  const position = Math.min(order ?? length, length)
  await shift(transaction, { tenantId, bundleId, from: position, to: length, by: 1 })
  const row = attachmentRow({ tenantId, bundleId }, { keyId, name, position, required })
  await transaction.insertInto('attachments').values(row).execute()
}
