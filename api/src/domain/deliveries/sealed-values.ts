import { digestOf } from '@keyferry/crypto/digest'
import { wipe } from '@keyferry/crypto/key-pair'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { seal } from '@keyferry/crypto/seal'
import { DomainError } from '../base/errors.ts'
import {
  type BundleEntry,
  type EntryStores,
  type ValueSize,
  valueSizes,
  wantedEntries,
} from '../library/bundle-entry.ts'
import { requireComposed } from '../library/composed-entry.ts'
import { leastComposedBytes } from '../library/template.ts'

/*
 * Values on their way out: chosen by name from a bundle, read together with their versions, and sealed to the public
 * key of a client as one JSON map. The payload is bounded before any value is in memory, and again before it is
 * sealed.
 */

/** A tag and an ephemeral public key: what sealing adds. */
const SEAL_BYTES = 48

type ChosenValues = {
  /** By delivered name. */
  values: Map<string, Plaintext>
  /** What is delivered, with the versions of this read. */
  entries: BundleEntry[]
  /** Names that the bundle marks as required and that were not chosen. */
  missingRequired: string[]
}

/** Read the values of a bundle that have these names.
 * @param includeKeys null: every name of the bundle
 * @throws DomainError invalid (`details.keys`: names that the bundle does not contain) · too_large */
export async function valuesOf(
  { stores, maxPayloadBytes }: { stores: EntryStores; maxPayloadBytes: number },
  bundle: SealedBundle,
  includeKeys: readonly string[] | null,
): Promise<ChosenValues> {
  const wanted = includeKeys && new Set(includeKeys)
  const small = await smallEntries(stores, bundle, { wanted, most: maxPayloadBytes })
  if (small) return chosenFrom(small, wanted ?? new Set(small.map(({ name }) => name)))
  const sizes = await valueSizes(stores, bundle)
  const names = wanted ?? new Set(sizes.keys())
  requireNames(names, sizes)
  if (leastPayloadBytes(names, sizes) > maxPayloadBytes) throw payloadTooLarge(maxPayloadBytes)
  const parts = [...names].flatMap((name) => sizes.get(name)?.templateUses ?? [])
  return chosenFrom(await wantedEntries(stores, bundle, new Set([...names, ...parts])), names)
}

function chosenFrom(entries: readonly BundleEntry[], names: ReadonlySet<string>): ChosenValues {
  const chosen = entries.filter(({ name }) => names.has(name))
  requireComposed(chosen)
  const values = new Map(chosen.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
  for (const { name, value } of entries) if (value !== null && !names.has(name)) wipe(value.bytes())
  requireNames(names, values)
  const missing = entries.filter(({ name, required }) => required && !names.has(name))
  return { values, entries: chosen, missingRequired: missing.map(({ name }) => name) }
}

type SealedBundle = { tenantId: string; bundleId: string }

const SMALL_BUNDLE_BYTES = 256 * 1024

type Wanted = { wanted: ReadonlySet<string> | null; most: number }

/** The attached keys by one read, with the wanted values, because most deliveries are of a small bundle; null where the
 * bundle is not small, or some of these values are composed or legacy items. */
async function smallEntries(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: SealedBundle,
  { wanted, most }: Wanted,
): Promise<BundleEntry[] | null> {
  if (most < SMALL_BUNDLE_BYTES) return null
  const [items, entries] = await Promise.all([
    wanted ? [] : legacyItems.list(tenantId, bundleId, 'none'),
    attachments.list(tenantId, bundleId, wanted ?? 'all', SMALL_BUNDLE_BYTES),
  ])
  const chosen = wanted ? entries.filter(({ name }) => wanted.has(name)) : entries
  const isAll = items.length === 0 && (wanted === null || chosen.length === wanted.size)
  return isAll && chosen.every(({ templateParts, isLong }) => templateParts === null && !isLong)
    ? entries
    : null
}

/** These names, sorted and each once.
 * @throws DomainError invalid: a name that the bundle does not contain */
export async function namesInBundle(
  stores: EntryStores,
  bundle: { tenantId: string; bundleId: string },
  includeKeys: readonly string[],
): Promise<string[]> {
  const names = new Set(includeKeys)
  requireNames(names, await valueSizes(stores, bundle))
  return [...names].toSorted()
}

/** @throws DomainError too_large: longer than a box of this payload */
export function requireBoxSize(ciphertextBase64: string, maxPayloadBytes: number): void {
  if (Buffer.byteLength(ciphertextBase64, 'base64') > maxPayloadBytes + SEAL_BYTES) {
    throw payloadTooLarge(maxPayloadBytes)
  }
}

// The payload when no character needs an escape. Sizes come from the database, so a choice that is far too large is
// refused before any value is in memory.
function leastPayloadBytes(names: ReadonlySet<string>, sizes: ReadonlyMap<string, ValueSize>): number {
  let bytes = '{}'.length
  for (const name of names) bytes += '"":"",'.length + Buffer.byteLength(name) + leastBytes(name, sizes)
  return bytes - 1
}

function leastBytes(name: string, sizes: ReadonlyMap<string, ValueSize>): number {
  const { bytes = 0, templateUses = null } = sizes.get(name) ?? {}
  if (templateUses === null) return bytes
  return leastComposedBytes({ bytes, templateUses }, (part) => sizes.get(part)?.bytes ?? 0)
}

function requireNames(names: ReadonlySet<string>, delivered: ReadonlyMap<string, unknown>): void {
  const missing = [...names].filter((name) => !delivered.has(name))
  if (missing.length === 0) return
  const details = { field: 'include_keys', keys: missing }
  throw new DomainError('invalid', 'include_keys names keys that are not in the bundle', { details })
}

type Sealing = { publicKey: Uint8Array; maxBytes: number }

/** Seal values as one JSON map, and wipe them.
 * @returns base64
 * @throws DomainError too_large */
export function sealValues(values: ReadonlyMap<string, Plaintext>, sealing: Sealing): string {
  return withJsonMap(values, (plaintext) => sealed(plaintext, sealing))
}

/** Seal values, and beside them the names of those that are not secret. The second box has the digest of the first
 * one's plaintext. So only who knows the values can make it, and a layer on the way cannot call a secret public.
 * @throws DomainError too_large */
export function sealMarkedValues(
  values: ReadonlyMap<string, Plaintext>,
  publicNames: readonly string[],
  sealing: Sealing,
): { ciphertext_base64: string; marks_base64: string } {
  return withJsonMap(values, (plaintext) => ({
    ciphertext_base64: sealed(plaintext, sealing),
    marks_base64: sealText(JSON.stringify({ of: digestOf(plaintext), public: publicNames }), sealing),
  }))
}

function withJsonMap<T>(values: ReadonlyMap<string, Plaintext>, use: (plaintext: Uint8Array) => T): T {
  const plaintext = jsonMap(values)
  try {
    return use(plaintext)
  } finally {
    wipe(plaintext)
    for (const value of values.values()) wipe(value.bytes())
  }
}

/** Seal a text without values.
 * @returns base64
 * @throws DomainError too_large */
export function sealText(text: string, sealing: Sealing): string {
  return sealed(Buffer.from(text), sealing)
}

function sealed(plaintext: Uint8Array, { publicKey, maxBytes }: Sealing): string {
  if (plaintext.length > maxBytes) throw payloadTooLarge(maxBytes)
  return Buffer.from(seal(plaintext, publicKey)).toString('base64')
}

// Written entry by entry, because in an object `__proto__` would not be a name like any other.
function jsonMap(values: ReadonlyMap<string, Plaintext>): Uint8Array {
  const entries = [...values].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value.reveal())}`,
  )
  return Buffer.from(`{${entries.join(',')}}`)
}

function payloadTooLarge(maxBytes: number): DomainError {
  return new DomainError('too_large', `approval payload exceeds ${maxBytes} bytes`)
}
