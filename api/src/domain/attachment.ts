import { type BundleStore, bundleNotFound } from './bundle.ts'
import type { AttachedKey, EntryStores } from './bundle-entry.ts'
import { DomainError } from './errors.ts'
import { type KeyStore, keyNotFound } from './key.ts'
import type { Caller } from './membership.ts'

export type Attachment = { bundleId: string; keyId: string }

/** Where to put it: `order` inserts there, at most at the end; without one it goes to the end. */
export type NewAttachment = Attachment & { order: number | undefined; required: boolean }

export type AttachmentStore = EntryStores['attachments'] & {
  insert(
    tenantId: string,
    attachment: NewAttachment,
  ): Promise<'attached' | 'already' | 'no_bundle' | 'no_key'>
  /** False when the key is not attached. */
  delete(tenantId: string, attachment: Attachment): Promise<boolean>
  /** False when the key is not attached. */
  setRequired(tenantId: string, attachment: Attachment, required: boolean): Promise<boolean>
  /** Moves it, the ones between shifting by one; false when the key is not attached. */
  move(tenantId: string, attachment: Attachment, order: number): Promise<boolean>
}

type AttachmentStores = { attachments: AttachmentStore; bundles: BundleStore; keys: KeyStore }

/** @throws DomainError not_found: the bundle */
export async function listAttachedKeys(
  stores: AttachmentStores,
  caller: Caller,
  bundleId: string,
): Promise<AttachedKey[]> {
  if (!(await stores.bundles.find(caller.tenantId, bundleId))) throw bundleNotFound()
  return stores.attachments.list(caller.tenantId, bundleId, 'public')
}

/** Attach a library key to a bundle of the caller's tenant.
 * @throws DomainError not_found (bundle or key, another tenant's too) · conflict (attached already) */
export async function attachKey(
  stores: AttachmentStores,
  caller: Caller,
  attachment: NewAttachment,
): Promise<void> {
  const outcome = await stores.attachments.insert(caller.tenantId, attachment)
  if (outcome === 'no_bundle') throw bundleNotFound()
  if (outcome === 'no_key') throw keyNotFound()
  if (outcome === 'already') throw new DomainError('conflict', 'Key already attached to bundle')
}

/** @throws DomainError not_found: bundle or key, or the key is not attached */
export async function detachKey(
  stores: AttachmentStores,
  caller: Caller,
  attachment: Attachment,
): Promise<void> {
  if (await stores.attachments.delete(caller.tenantId, attachment)) return
  throw await missing(stores, caller, attachment)
}

/** @throws DomainError not_found: bundle or key, or the key is not attached */
export async function changeAttachment(
  stores: AttachmentStores,
  caller: Caller,
  { required, ...attachment }: Attachment & { required: boolean },
): Promise<void> {
  if (await stores.attachments.setRequired(caller.tenantId, attachment, required)) return
  throw await missing(stores, caller, attachment)
}

/** @throws DomainError not_found: bundle or key, or the key is not attached */
export async function reorderKey(
  stores: AttachmentStores,
  caller: Caller,
  { order, ...attachment }: Attachment & { order: number },
): Promise<void> {
  if (await stores.attachments.move(caller.tenantId, attachment, order)) return
  throw await missing(stores, caller, attachment)
}

async function missing(
  { bundles }: AttachmentStores,
  caller: Caller,
  { bundleId }: Attachment,
): Promise<DomainError> {
  return (await bundles.find(caller.tenantId, bundleId)) ? keyNotFound() : bundleNotFound()
}
