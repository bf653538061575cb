import { isProduction } from '@keyferry/contract'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, findBundle } from './bundle.ts'
import { type AttachedKey, attachedEntries, type EntryStores, withLongValues } from './bundle-entry.ts'
import { requireBundleEditor, requireMayLetGo, takingOut } from './bundle-rights.ts'
import { type KeyStore, requireShowable } from './key.ts'

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
export type AttachmentChange = Attachment &
  ExpectedChange<{ as: string; required: boolean }> & { newKeyId?: string | undefined }

export type NewPosition = Attachment & ExpectedChange<{ order: number }> & { order: number }

/** `others`: how many other bundles use the key; `inProduction`: how many of these are for production. */
type Sharing = { is_secret: boolean; others: number; inProduction: number }

/** `firstOther`: by name. */
export type SharedKey = Sharing & { keyId: string; firstOther: string }

/** Whether production and another environment both deliver a secret. */
export function crossesProduction(
  { is_secret, others, inProduction }: Sharing,
  isForProduction: boolean,
): boolean {
  return is_secret && (isForProduction ? inProduction < others : inProduction > 0)
}

/** `name`: the delivered one. `version`: of the value. */
type AttachedVersion = { id: string; name: string; version: number }

/** Every change stamps the bundle.
 * @throws DomainError not_found (bundle or key, or the key is not attached) · conflict (attached already) ·
 *   name_taken · bundle_full · changed */
export type AttachmentStore = EntryStores['attachments'] & {
  insert(attachment: NewAttachment, stamp: Stamp): Promise<void>
  delete(attachment: Attachment, stamp: Stamp): Promise<void>
  change(change: AttachmentChange, stamp: Stamp): Promise<void>
  /** The bundle's keys that other bundles use too. */
  listShared(tenantId: string, bundleId: string): Promise<SharedKey[]>
  /** What the bundle delivers of these keys, without values; leaves out those that are not attached. */
  versions(tenantId: string, bundleId: string, keyIds: readonly string[]): Promise<AttachedVersion[]>
  /** Moves it and shifts the keys between by one. */
  move(change: NewPosition, stamp: Stamp): Promise<void>
}

type AttachmentStores = { attachments: AttachmentStore; bundles: BundleStore; keys: KeyStore }
type AttachmentParts = AttachmentStores & { clock: ClockAndIds }

/** In groups that are small enough to keep in memory.
 * @throws DomainError not_found: the bundle */
export async function listAttachedKeys(
  stores: EntryStores & { bundles: BundleStore },
  { tenantId }: Pick<Caller, 'tenantId'>,
  { bundleId, values }: { bundleId: string; values: 'none' | 'public' },
): Promise<AsyncIterable<readonly AttachedKey[]>> {
  const place = { tenantId, bundleId }
  await findBundle(stores.bundles, place, bundleId)
  const entries = await attachedEntries(stores, place, values)
  return withLongValues(stores, place, { entries, values: 'public' })
}

/** The bundle's keys that other bundles use too: changing one of them changes more than this bundle.
 * @throws DomainError not_found: the bundle */
export async function listSharedKeys(
  stores: AttachmentStores,
  caller: Caller,
  bundleId: string,
): Promise<(SharedKey & { crosses: boolean; mayDetach: boolean })[]> {
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const shared = await stores.attachments.listShared(caller.tenantId, bundleId)
  const keyIds = shared.map(({ keyId }) => keyId)
  const mayTake = await takingOut(stores.bundles, caller, { bundleIds: [bundleId], keyIds })
  return shared.map((key) => ({
    ...key,
    crosses: crossesProduction(key, isProduction(bundle)),
    mayDetach: mayTake(bundleId, key.keyId),
  }))
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
  await parts.attachments.insert(attachment, stampOf(caller, parts.clock))
}

/** @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden */
export async function detachKey(
  parts: AttachmentParts,
  caller: Caller,
  attachment: Attachment,
): Promise<void> {
  const { bundleId, keyId } = attachment
  await requireMayLetGo(parts.bundles, caller, { bundleId, keyIds: [keyId] })
  await parts.attachments.delete(attachment, stampOf(caller, parts.clock))
}

/** Change the name under which a bundle delivers a key, whether it is required, or the key itself.
 * @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden · name_taken ·
 *   conflict (the new key is attached already) · changed */
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
  await parts.attachments.change(change, stampOf(caller, parts.clock))
}

/** @throws DomainError not_found (bundle or key, or the key is not attached) · forbidden · changed */
export async function reorderKey(parts: AttachmentParts, caller: Caller, change: NewPosition): Promise<void> {
  await requireBundleEditor(parts.bundles, caller, change.bundleId)
  await parts.attachments.move(change, stampOf(caller, parts.clock))
}

/** @param name undefined: the key's own */
export function deliveredNameTaken(name?: string): DomainError {
  const what = name === undefined ? "a key under this key's name" : `a key as ${name}`
  const message = `the bundle already delivers ${what}: choose another name with "as", or detach that key first`
  return new DomainError('name_taken', message, name === undefined ? {} : { details: { names: [name] } })
}

export function alreadyAttached(): DomainError {
  return new DomainError('conflict', 'Key already attached to bundle')
}
