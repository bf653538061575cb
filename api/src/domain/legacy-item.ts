import { Plaintext } from '@keyferry/crypto/plaintext'
import type { ValueSize } from './attachment.ts'
import { type BundleStore, bundleNotFound } from './bundle.ts'
import { keyNotFound } from './key.ts'
import { maskedOver, maskOverSecret } from './mask.ts'
import type { Caller } from './membership.ts'
import { type Source, timestamp } from './source.ts'
import type { Stores } from './stores.ts'
import type { WantedValues } from './wanted-values.ts'

// Everything of the deprecated inline items is in this file, legacy-conversion.ts, import.ts and the files named after them in storage/ and
// http/; bundle-entry.ts is the one place that reads them.

/** An inline pair of a bundle, from before there was a library. */
type LegacyItem = { name: string; value: Plaintext | null; is_secret: boolean }

/** `is_secret` undefined: a known item keeps its mark, a new one is secret. */
export type LegacyItemWrite = { id: string; name: string; value: Plaintext; is_secret: boolean | undefined }

export type BundlePlace = { tenantId: string; bundleId: string }

export interface LegacyItemStore {
  /** By name, byte by byte. */
  list(tenantId: string, bundleId: string, values: WantedValues): Promise<LegacyItem[]>
  /** The size of each value, without reading one. */
  valueSizes(tenantId: string, bundleId: string): Promise<ValueSize[]>
  /** All of them or none; null when there is no such bundle. */
  upsert(
    place: BundlePlace,
    items: readonly LegacyItemWrite[],
    now: string,
  ): Promise<{ created: number; updated: number } | null>
  delete(place: BundlePlace, name: string): Promise<boolean>
  /** Put a library key of the same name, value and mark in an item's place, all of it or nothing.
   * @returns what the item held; `taken`: the library has a key of this name */
  convert(
    place: BundlePlace,
    name: string,
    key: { keyId: string; now: string },
  ): Promise<{ value: Plaintext; is_secret: boolean } | 'no_bundle' | 'no_item' | 'taken'>
}

export type LegacyItemDraft = { key: string; value: string; is_secret: boolean }

/** @throws DomainError invalid: the mask over a secret (`details.names`) · not_found: the bundle */
export async function upsertLegacyItem(
  stores: Pick<Stores, 'attachments' | 'legacyItems'>,
  caller: Caller,
  { bundleId, draft, source }: { bundleId: string; draft: LegacyItemDraft; source: Source },
): Promise<void> {
  const { key: name, value, is_secret } = draft
  const item = { id: source.newId(), name, value: Plaintext.of(value), is_secret }
  const place = { tenantId: caller.tenantId, bundleId }
  const masked = await maskedOver(stores, place, new Map([[name, value]]))
  if (masked.length > 0) throw maskOverSecret(name)
  if (!(await stores.legacyItems.upsert(place, [item], timestamp(source)))) throw bundleNotFound()
}

/** @throws DomainError not_found: bundle or item */
export async function deleteLegacyItem(
  { bundles, legacyItems }: { bundles: BundleStore; legacyItems: LegacyItemStore },
  { tenantId }: Caller,
  { bundleId, name }: { bundleId: string; name: string },
): Promise<void> {
  if (await legacyItems.delete({ tenantId, bundleId }, name)) return
  throw (await bundles.find(tenantId, bundleId)) ? keyNotFound() : bundleNotFound()
}
