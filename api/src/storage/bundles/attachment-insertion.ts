import type { Bounds } from '../../domain/base/bounds.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { AttachmentStore, NewAttachment } from '../../domain/library/attachment.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { isDelivered, keyNameOf, keyOfEvent } from './attachment-names.ts'
import { lengthOf, positionOf, shift } from './attachment-positions.ts'
import { requireWithinBound } from './bundle-bound.ts'
import { holdBundle, stampBundle } from './bundle-changes.ts'

type Insertion = { tenantId: string; attachment: NewAttachment; stamp: Stamp }
type Inserted = Awaited<ReturnType<AttachmentStore['insert']>>

/** Attach a key, stamp its bundle and record the event.
 * @throws DomainError when the bundle is full */
export async function attach(
  transaction: Recorded,
  { bounds, ...insertion }: Insertion & { bounds: Bounds },
): Promise<Inserted> {
  const { tenantId, attachment } = insertion
  const outcome = await insertHeld(transaction, insertion)
  if (outcome !== 'attached') return outcome
  await requireWithinBound(transaction, { tenantId, bundleId: attachment.bundleId }, bounds)
  await noteAttached(transaction, insertion)
  return outcome
}

/** Stamp the bundle of a key that has just been attached, and record the event. */
async function noteAttached(
  transaction: Recorded,
  { tenantId, attachment, stamp }: Insertion,
): Promise<void> {
  const { bundleId, keyId, as, required } = attachment
  const key = await keyOfEvent(transaction, { tenantId, keyId })
  const data = { key, required, ...(as === undefined ? {} : { as }) }
  await stampBundle(transaction, { tenantId, bundleId, stamp }, { action: 'bundle.attached', data })
}

/** Attach a key within a transaction, which holds the bundle from then on. The caller stamps the bundle. */
export async function insertHeld(
  transaction: Query,
  { tenantId, attachment }: Omit<Insertion, 'stamp'>,
): Promise<Inserted> {
  const { bundleId, keyId, order, required } = attachment
  if (!(await holdBundle(transaction, tenantId, bundleId))) return 'no_bundle'
  const keyName = await keyNameOf(transaction, tenantId, keyId)
  if (keyName === null) return 'no_key'
  if ((await positionOf(transaction, tenantId, attachment)) !== null) return 'already'
  const name = attachment.as ?? keyName
  if (await isDelivered(transaction, { tenantId, bundleId, name })) return 'name_taken'
  const length = await lengthOf(transaction, tenantId, bundleId)
  const position = Math.min(order ?? length, length)
  await shift(transaction, { tenantId, bundleId, from: position, to: length, by: 1 })
  await transaction
    .insertInto('attachments')
    .values({
      bundle_id: bundleId,
      key_id: keyId,
      tenant_id: tenantId,
      delivered_name: name,
      position,
      required: flag(required),
    })
    .execute()
  return 'attached'
}
