import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, bundleNotFound, requireBundleEditor, requireMayLetGo } from './bundle.ts'
import { type AttachedKey, attachedEntries, type EntryStores, withLongValues } from './bundle-entry.ts'
import { type KeyStore, keyNotFound, requireShowable } from './key.ts'

/*
 * An attachment puts a library key into a bundle of the same tenant, at most once, at a position counted from 0 without
 * gaps. The bundle delivers the key under its library name or under another one, unique within the bundle. Owners
 * attach, detach and reorder any key; a member only in bundles they created, and only keys whose value they set.
 * `required` tells approvers that a program does not work without the key. Detaching leaves the key in the library.
 */

export type Attachment = { bundleId: string; keyId: string }

/** `as`: the delivered name; undefined means the key's own. `order` inserts at that position, at most at the end;
 * undefined means the end. */
export type NewAttachment = Attachment & {
  as?: string | undefined
  order: number | undefined
  required: boolean
}

/** Absent fields stay. `newKeyId`: the key that takes this one's place. */
export type AttachmentChange = Attachment & {
  as?: string | undefined
  required?: boolean | undefined
  newKeyId?: string | undefined
}

/** `shared_with`: the first of the other bundles that use the key, by name. */
export type SharedKey = { key_id: string; shared_with: string; shared_total: number }

/** Every change stamps the bundle. */
/** `name`: the delivered one. `version`: of the value. */
export type AttachedVersion = { id: string; name: string; version: number }

export type AttachmentStore = EntryStores['attachments'] & {
  insert(
    tenantId: string,
    attachment: NewAttachment,
    stamp: Stamp,
  ): Promise<'attached' | 'already' | 'name_taken' | 'no_bundle' | 'no_key'>
  /** False when the key is not attached. */
  delete(tenantId: string, attachment: Attachment, stamp: Stamp): Promise<boolean>
  /** `absent`: the key is not attached. `already`: the new key is. */
  change(
    tenantId: string,
    change: AttachmentChange,
    stamp: Stamp,
  ): Promise<'changed' | 'absent' | 'name_taken' | 'already' | 'no_key'>
  /** The bundle's keys that other bundles use too. */
  listShared(tenantId: string, bundleId: string): Promise<SharedKey[]>
  /** What the bundle delivers of these keys, without values; leaves out those that are not attached. */
  versions(tenantId: string, bundleId: string, keyIds: readonly string[]): Promise<AttachedVersion[]>
  /** Moves it and shifts the keys between by one; false when the key is not attached. */
  move(tenantId: string, change: Attachment & { order: number }, stamp: Stamp): Promise<boolean>
}

type AttachmentStores = { attachments: AttachmentStore; bundles: BundleStore; keys: KeyStore }
type AttachmentParts = AttachmentStores & { clock: ClockAndIds }

/** In groups that are small enough to hold in memory.
 * @throws DomainError not_found: the bundle */
export async function listAttachedKeys(
  stores: EntryStores & { bundles: BundleStore },
  { tenantId }: Pick<Caller, 'tenantId'>,
  { bundleId, values }: { bundleId: string; values: 'none' | 'public' },
): Promise<AsyncIterable<readonly AttachedKey[]>> {
  const place = { tenantId, bundleId }
  if (!(await stores.bundles.find(place.tenantId, bundleId))) throw bundleNotFound()
  const entries = await attachedEntries(stores, place, values)
  return withLongValues(stores, place, { entries, values: 'public' })
}

/** The bundle's keys that other bundles use too: changing one of them changes more than this bundle.
 * @throws DomainError not_found: the bundle */
export async function listSharedKeys(
  stores: AttachmentStores,
  caller: Caller,
  bundleId: string,
): Promise<SharedKey[]> {
  if (!(await stores.bundles.find(caller.tenantId, bundleId))) throw bundleNotFound()
  return stores.attachments.listShared(caller.tenantId, bundleId)
}

/** Attach a library key to a bundle of the caller's tenant. A member may attach only a key and a bundle that they
 * created and whose value they set, because approvals deliver to members only what is in a bundle.
 * @throws DomainError not_found (bundle or key, another tenant's too) · forbidden · conflict (attached already) ·
 *   name_taken (the bundle delivers another key under this name) */
export async function attachKey(
  parts: AttachmentParts,
  caller: Caller,
  attachment: NewAttachment,
): Promise<void> {
  await requireBundleEditor(parts.bundles, caller, attachment.bundleId)
  await requireShowable(parts.keys, caller, attachment.keyId)
  const stamp = stampOf(caller, parts.clock)
  const outcome = await parts.attachments.insert(caller.tenantId, attachment, stamp)
  if (outcome === 'no_bundle') throw bundleNotFound()
  if (outcome === 'no_key') throw keyNotFound()
  if (outcome === 'already') throw new DomainError('conflict', 'Key already attached to bundle')
  if (outcome === 'name_taken') throw deliveredNameTaken(attachment.as)
}

/** @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden */
export async function detachKey(
  parts: AttachmentParts,
  caller: Caller,
  attachment: Attachment,
): Promise<void> {
  const { bundleId, keyId } = attachment
  await requireMayLetGo(parts.bundles, caller, { bundleId, keyIds: [keyId] })
  if (await parts.attachments.delete(caller.tenantId, attachment, stampOf(caller, parts.clock))) return
  throw await missing(parts, caller, attachment)
}

/** Change the name under which a bundle delivers a key, whether it is required, or the key itself.
 * @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden · name_taken ·
 *   conflict (the new key is attached already) */
export async function changeAttachment(
  parts: AttachmentParts,
  caller: Caller,
  change: AttachmentChange,
): Promise<void> {
  await requireBundleEditor(parts.bundles, caller, change.bundleId)
  if (change.newKeyId !== undefined) {
    await requireMayLetGo(parts.bundles, caller, { bundleId: change.bundleId, keyIds: [change.keyId] })
    await requireShowable(parts.keys, caller, change.newKeyId)
  }
  const outcome = await parts.attachments.change(caller.tenantId, change, stampOf(caller, parts.clock))
  if (outcome === 'absent') throw await missing(parts, caller, change)
  if (outcome === 'no_key') throw keyNotFound()
  if (outcome === 'already') throw new DomainError('conflict', 'Key already attached to bundle')
  if (outcome === 'name_taken') throw deliveredNameTaken(change.as)
}

/** @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden */
export async function reorderKey(
  parts: AttachmentParts,
  caller: Caller,
  change: Attachment & { order: number },
): Promise<void> {
  await requireBundleEditor(parts.bundles, caller, change.bundleId)
  if (await parts.attachments.move(caller.tenantId, change, stampOf(caller, parts.clock))) return
  throw await missing(parts, caller, change)
}

/** @param name undefined: the key's own */
function deliveredNameTaken(name?: string): DomainError {
  const what = name === undefined ? "a key under this key's name" : `a key as ${name}`
  const message = `the bundle already delivers ${what}: choose another name with "as", or detach that key first`
  return new DomainError('name_taken', message, name === undefined ? {} : { details: { names: [name] } })
}

async function missing(
  { bundles }: AttachmentStores,
  caller: Caller,
  { bundleId }: Attachment,
): Promise<DomainError> {
  return (await bundles.find(caller.tenantId, bundleId)) ? keyNotFound() : bundleNotFound()
}
