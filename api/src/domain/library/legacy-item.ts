import { Plaintext } from '@keyferry/crypto/plaintext'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, bundleNotFound } from './bundle.ts'
import type { EntryStores } from './bundle-entry.ts'
import { keyNotFound } from './key.ts'
import { maskedOver, maskOverSecret } from './mask.ts'

/*
 * A legacy item is a name and value that belong to one bundle only. It is deprecated in favour of library keys, and
 * owners can convert it into one. An attached key of the same name hides it. To remove legacy items from the code,
 * delete this file, legacy-conversion.ts, import.ts and the files of the same names in storage/ and http/, and read
 * bundle-entry.ts.
 */

/** `is_secret` undefined: a known item keeps its mark; a new item is secret. */
export type LegacyItemWrite = { id: string; name: string; value: Plaintext; is_secret: boolean | undefined }

export type BundlePlace = { tenantId: string; bundleId: string }

/** Every change stamps the bundle. */
export type LegacyItemStore = EntryStores['legacyItems'] & {
  /** All of them or none; null when there is no such bundle. */
  upsert(
    place: BundlePlace,
    items: readonly LegacyItemWrite[],
    stamp: Stamp,
  ): Promise<{ created: number; updated: number } | null>
  delete(place: BundlePlace, name: string, stamp: Stamp): Promise<boolean>
  /** Replace an item by a library key of the same name, value and mark, all of it or nothing.
   * @returns `taken`: the library has a key of this name · `hidden`: the bundle delivers a key under this name */
  convert(
    place: BundlePlace,
    name: string,
    key: { keyId: string; stamp: Stamp },
  ): Promise<'converted' | 'no_bundle' | 'no_item' | 'taken' | 'hidden'>
}

export type LegacyItemDraft = { key: string; value: string; is_secret: boolean }

/** @throws DomainError invalid: the mask over a secret (`details.names`) · not_found: the bundle */
export async function upsertLegacyItem(
  stores: { attachments: EntryStores['attachments']; legacyItems: LegacyItemStore },
  caller: Caller,
  { bundleId, draft, clock }: { bundleId: string; draft: LegacyItemDraft; clock: ClockAndIds },
): Promise<void> {
  const { key: name, value, is_secret } = draft
  const item = { id: clock.newId(), name, value: Plaintext.of(value), is_secret }
  const place = { tenantId: caller.tenantId, bundleId }
  const masked = await maskedOver(stores, place, new Map([[name, value]]))
  if (masked.length > 0) throw maskOverSecret(name)
  if (!(await stores.legacyItems.upsert(place, [item], stampOf(caller, clock)))) throw bundleNotFound()
}

/** @throws DomainError not_found: bundle or item */
export async function deleteLegacyItem(
  { bundles, legacyItems }: { bundles: BundleStore; legacyItems: LegacyItemStore },
  caller: Caller,
  { bundleId, name, clock }: { bundleId: string; name: string; clock: ClockAndIds },
): Promise<void> {
  const place = { tenantId: caller.tenantId, bundleId }
  if (await legacyItems.delete(place, name, stampOf(caller, clock))) return
  throw (await bundles.find(place.tenantId, bundleId)) ? keyNotFound() : bundleNotFound()
}
