import type { UpsertLegacyItem } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { EntryStores } from './bundle-entry.ts'
import { findKey, type KeyStore, type SeenKey } from './key.ts'
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

/** Every change stamps the bundle.
 * @throws DomainError not_found (bundle or item) */
export type LegacyItemStore = EntryStores['legacyItems'] & {
  /** All of them or none.
   * @throws DomainError bundle_full */
  upsert(
    place: BundlePlace,
    items: readonly LegacyItemWrite[],
    stamp: Stamp,
  ): Promise<{ created: number; updated: number }>
  delete(item: { bundleId: string; name: string }, stamp: Stamp): Promise<void>
  /** Replace an item by a library key of the same name, value and mark, all of it or nothing.
   * @throws DomainError conflict: the library has a key of this name ·
   *   name_taken: the bundle delivers a key under it */
  convert(place: BundlePlace, name: string, key: { keyId: string; stamp: Stamp }): Promise<void>
}

export type LegacyItemDraft = z.output<typeof UpsertLegacyItem>

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
  await stores.legacyItems.upsert(place, [item], stampOf(caller, clock))
}

/*
 * A conversion replaces a legacy item by a library key of the same name, value and mark, at the end of the same
 * bundle. It is refused when the library has a key of that name, because two values for one name cannot both win.
 */

/** Replace a legacy item by a library key.
 * @throws DomainError not_found: bundle or item · conflict: the library has a key of this name ·
 *   name_taken: the bundle delivers a library key under this name */
export async function convertLegacyItem(
  stores: { legacyItems: LegacyItemStore; keys: KeyStore },
  caller: Caller,
  { bundleId, name, clock }: { bundleId: string; name: string; clock: ClockAndIds },
): Promise<SeenKey> {
  const keyId = clock.newId()
  const place = { tenantId: caller.tenantId, bundleId }
  await stores.legacyItems.convert(place, name, { keyId, stamp: stampOf(caller, clock) })
  return readBack(findKey(stores.keys, caller, keyId))
}

export function hiddenItem(name: string): DomainError {
  const message = `the bundle delivers a library key as ${name}: delete this item, or detach that key before you convert it`
  return new DomainError('name_taken', message, { details: { names: [name] } })
}
