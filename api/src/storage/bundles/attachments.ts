import type { AuditAction } from '@keyferry/contract'
import type { Bounds } from '../../domain/base/bounds.ts'
import type { EventData } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import {
  type Attachment,
  type AttachmentChange,
  type AttachmentStore,
  alreadyAttached,
  deliveredNameTaken,
  type NewAttachment,
} from '../../domain/library/attachment.ts'
import { keyNotFound } from '../../domain/library/key.ts'
import { isMissingReference, refusing } from '../base/database.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
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
import { deliveredAs, holdBundle, requireWithinBound, stampBundle } from './bundle-changes.ts'

// A key can be deleted after it was looked up.
export function createAttachmentStore(queries: Queries, vault: ValueVault, bounds: Bounds): AttachmentStore {
  const { write } = queries
  return {
    ...readAttachedKeys(queries, vault),
    insert: (tenantId, attachment, stamp) =>
      refusing(isMissingReference, keyNotFound, () =>
        write((transaction) => attach(transaction, { tenantId, attachment, stamp, bounds })),
      ),
    delete: (tenantId, attachment, stamp) => {
      const place = { tenantId, stamp, ...attachment }
      return changeInBundle(queries, { ...place, action: 'bundle.detached' }, (transaction, position) =>
        detach(transaction, place, position),
      )
    },
    change: (tenantId, change, stamp) =>
      refusing(isMissingReference, keyNotFound, () =>
        write((transaction) => changeAttachment(transaction, { tenantId, change, stamp })),
      ),
    move: (tenantId, { order, ...attachment }, stamp) => {
      const place = { tenantId, stamp, ...attachment }
      const event = { action: 'bundle.reordered', data: { position: order } } as const
      return changeInBundle(queries, { ...place, ...event }, (transaction, from) =>
        move(transaction, place, { from, order }),
      )
    },
  }
}

type ChangeOfPlace = Attachment & { tenantId: string; stamp: Stamp; action: AuditAction; data?: EventData }

/** Lock a bundle, change the place of a key in it, stamp it and record the event, in one transaction.
 * @throws DomainError not_found: the bundle, or the key is not attached */
function changeInBundle(
  { write }: Queries,
  { action, data, ...place }: ChangeOfPlace,
  change: (transaction: Query, position: number) => Promise<void>,
): Promise<void> {
  return write(async (transaction) => {
    const { delivered_name: as, position } = await heldAttachment(transaction, place)
    await change(transaction, position)
    const key = await keyOfEvent(transaction, place)
    await stampBundle(transaction, place, { action, data: { key, ...deliveredAs(key.name, as), ...data } })
  })
}

async function heldAttachment(transaction: Query, place: Attachment & { tenantId: string }) {
  await holdBundle(transaction, place.tenantId, place.bundleId)
  const attachment = await attachmentOf(transaction, place)
  if (!attachment) throw keyNotFound()
  return attachment
}

/** Detach a key and close the gap, in a transaction that holds the bundle. */
async function detach(
  transaction: Query,
  { tenantId, bundleId, keyId }: Attachment & { tenantId: string },
  position: number,
): Promise<void> {
  await deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId }).execute()
  const end = await lengthOf(transaction, tenantId, bundleId)
  await shift(transaction, { tenantId, bundleId, from: position, to: end, by: -1 })
}

type Change = { tenantId: string; change: AttachmentChange; stamp: Stamp }

/** Change an attachment, stamp its bundle and record the event. */
async function changeAttachment(transaction: Recorded, { tenantId, change, stamp }: Change): Promise<void> {
  const { bundleId, as } = change
  const { delivered_name: current } = await heldAttachment(transaction, { tenantId, ...change })
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
    key: await keyOfEvent(transaction, { tenantId, keyId }),
    ...(isOther ? { replaced: await keyOfEvent(transaction, { tenantId, keyId: change.keyId }) } : {}),
    ...(as === undefined ? {} : { as }),
    ...(change.required === undefined ? {} : { required: change.required }),
  }
  const place = { tenantId, bundleId, stamp }
  await stampBundle(transaction, place, { action: 'bundle.attachment_changed', data })
}

type Insertion = { tenantId: string; attachment: NewAttachment; stamp: Stamp }

/** Attach a key, stamp its bundle and record the event.
 * @throws DomainError as `insertHeld` · bundle_full */
async function attach(
  transaction: Recorded,
  { bounds, ...insertion }: Insertion & { bounds: Bounds },
): Promise<void> {
  const { tenantId, attachment } = insertion
  await insertHeld(transaction, insertion)
  await requireWithinBound(transaction, { tenantId, bundleId: attachment.bundleId }, bounds)
  await noteAttached(transaction, insertion)
}

/** Stamp the bundle of a key that has just been attached, and record the event. */
async function noteAttached(transaction: Recorded, { tenantId, attachment, stamp }: Insertion) {
  const { bundleId, keyId, as, required } = attachment
  const key = await keyOfEvent(transaction, { tenantId, keyId })
  const data = { key, required, ...(as === undefined ? {} : { as }) }
  await stampBundle(transaction, { tenantId, bundleId, stamp }, { action: 'bundle.attached', data })
}

/** Attach a key within a transaction, which holds the bundle from then on. The caller stamps the bundle.
 * @throws DomainError not_found (bundle or key) · conflict (attached already) · name_taken */
export async function insertHeld(
  transaction: Query,
  { tenantId, attachment }: Omit<Insertion, 'stamp'>,
): Promise<void> {
  const { bundleId, keyId, order, required } = attachment
  await holdBundle(transaction, tenantId, bundleId)
  const keyName = await keyNameOf(transaction, tenantId, keyId)
  if (keyName === null) throw keyNotFound()
  if (await attachmentOf(transaction, { tenantId, bundleId, keyId })) throw alreadyAttached()
  const name = attachment.as ?? keyName
  if (await isDelivered(transaction, { tenantId, bundleId, name })) throw deliveredNameTaken(attachment.as)
  const length = await lengthOf(transaction, tenantId, bundleId)
  const position = Math.min(order ?? length, length)
  await shift(transaction, { tenantId, bundleId, from: position, to: length, by: 1 })
  const row = attachmentRow({ tenantId, bundleId }, { keyId, name, position, required })
  await transaction.insertInto('attachments').values(row).execute()
}
