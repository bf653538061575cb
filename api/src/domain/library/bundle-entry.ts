import { LIMITS } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { bytesToCome, type Composable, filled, unreadSources, withComposed } from './composed-entry.ts'
import type { TemplateParts } from './template.ts'
import type { WantedValues } from './wanted-values.ts'

/*
 * What a bundle contains: the library keys attached to it and its own legacy items. A bundle may deliver a key under
 * another name than the key has in the library, so that two environments deliver two values as one variable. An
 * entry's `name` is the delivered name. An attached key hides a legacy item of the same name, so each name has one
 * value. The value of a template is composed of other entries (composed-entry.ts). Exports, approvals and the bundle
 * page all read entries from here.
 */

/** A library key as attached to a bundle: delivered as `name`, called `key_name` in the library. `order` counts from 0
 * without gaps. `value` is null where it was not read; `isLong`: it is wanted, but too long for the list. */
export type AttachedKey = Composable & {
  id: string
  key_name: string
  description: string
  /** Of the value. */
  version: number
  order: number
  required: boolean
}

/** A name and value that belong to one bundle only (deprecated: see legacy-item.ts). */
type LegacyItem = Pick<Composable, 'name' | 'value' | 'is_secret' | 'isLong' | 'bytes'>

/** Values above this size are not read with a list of `public` or `all` values, which may be as long as a bundle. */
export const LONG_VALUE_BYTES = 4 * 1024

/** Values of entries that a list left out because they are long. */
export type LongValues = { names: readonly string[]; values: 'public' | 'all' }

/** One of the two lists that a bundle's entries come from. Sizes are known without reading a value. */
type EntryList<Entry> = {
  list(tenantId: string, bundleId: string, values: WantedValues): Promise<Entry[]>
  /** By name; leaves out names that are not in the bundle or whose value is not requested. */
  longValues(tenantId: string, bundleId: string, wanted: LongValues): Promise<ReadonlyMap<string, Plaintext>>
}

/** Attached keys in order, legacy items by name, byte by byte. */
export type EntryStores = {
  attachments: EntryList<AttachedKey> & {
    /** @param most bytes: where all values of the bundle take more together, no value is read, and each is long */
    list(tenantId: string, bundleId: string, values: WantedValues, most?: number): Promise<AttachedKey[]>
  }
  legacyItems: EntryList<LegacyItem>
}

/** One variable of a bundle: an attached key, or a legacy item (`id`, `key_name`, `description`,
 * `version`, `order` and deadlines null). */
export type BundleEntry = Composable & {
  key_name: string | null
  description: string | null
  order: number | null
  required: boolean
}

type BundleAddress = { tenantId: string; bundleId: string }

/** A bundle's entries: attached keys in order, then by name the legacy items that no key hides. */
export async function bundleEntries(
  stores: EntryStores,
  place: BundleAddress,
  values: WantedValues,
): Promise<BundleEntry[]> {
  const attached = await stores.attachments.list(place.tenantId, place.bundleId, values)
  return composed(attached, await unhiddenItems(stores, place, { attached, values }))
}

/** The entries of these names, with their values, and every other attached key without. Reads no legacy items if the
 * attached keys have all names. */
export async function wantedEntries(
  stores: EntryStores,
  place: BundleAddress,
  names: ReadonlySet<string>,
): Promise<BundleEntry[]> {
  const attached = await stores.attachments.list(place.tenantId, place.bundleId, names)
  const left = withoutNames(names, new Set(attached.map(({ name }) => name)))
  const legacy = left.size === 0 ? [] : await unhiddenItems(stores, place, { attached, values: left })
  const entries = composed(attached, legacy)
  return entries.map((entry) => filled(entry, NOTHING_READ))
}

const NOTHING_READ: ReadonlyMap<string, Plaintext> = new Map()

function composed(attached: readonly AttachedKey[], legacy: readonly BundleEntry[]): BundleEntry[] {
  const entries = [...attached, ...legacy]
  return attached.some(isTemplate) ? withComposed(entries, entries) : entries
}

/** The attached keys among a bundle's entries, in order. */
export async function attachedEntries(
  stores: EntryStores,
  place: BundleAddress,
  values: WantedValues,
): Promise<AttachedKey[]> {
  const attached = await stores.attachments.list(place.tenantId, place.bundleId, values)
  if (!attached.some(isTemplate)) return attached
  return withComposed(attached, [...attached, ...(await unhiddenItems(stores, place, { attached, values }))])
}

function isTemplate({ templateParts }: { templateParts: TemplateParts }): boolean {
  return templateParts !== null
}

async function unhiddenItems(
  { legacyItems }: EntryStores,
  { tenantId, bundleId }: BundleAddress,
  { attached, values }: { attached: readonly AttachedKey[]; values: WantedValues },
): Promise<BundleEntry[]> {
  const names = new Set(attached.map(({ name }) => name))
  const legacy = await legacyItems.list(tenantId, bundleId, withoutHidden(values, names))
  const unhidden = legacy.filter(({ name }) => !names.has(name))
  return unhidden.map((item) => ({ ...item, ...NOT_ATTACHED }))
}

const NOT_ATTACHED = {
  id: null,
  key_name: null,
  description: null,
  version: null,
  expires_at: null,
  rotate_at: null,
  order: null,
  required: false,
  templateParts: null,
  templateUses: null,
} as const

// A hidden item is not delivered, so its value must not be decrypted.
function withoutHidden(values: WantedValues, hidden: ReadonlySet<string>): WantedValues {
  return typeof values === 'string' ? values : withoutNames(values, hidden)
}

function withoutNames(names: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].filter((name) => !others.has(name)))
}

const GROUP = { entries: 500, bytes: 4 * LIMITS.valueBytes } as const

/** The same entries with their long and composed values, in groups that are small enough to keep in memory. Values are
 * read as the consumer takes each group, so a value that was removed or made secret before that is null. */
export async function* withLongValues<Entry extends AttachedKey | BundleEntry>(
  stores: EntryStores,
  place: BundleAddress,
  { entries, values }: { entries: readonly Entry[]; values: 'public' | 'all' },
): AsyncGenerator<readonly Entry[]> {
  for (const group of groupsOf(entries)) {
    const long = group.filter(({ isLong }) => isLong)
    if (long.length === 0) yield group
    else {
      const read = await readLong(stores, place, { long, values })
      yield group.map((entry) => (entry.isLong ? withValue(entry, read) : entry))
    }
  }
}

function withValue<Entry extends AttachedKey | BundleEntry>(
  entry: Entry,
  read: ReadonlyMap<string, Plaintext>,
): Entry {
  if (entry.composition === undefined) return { ...entry, value: read.get(entry.name) ?? null }
  return filled(entry, read)
}

/** Parts of a list that are small enough to keep in memory with their long values. */
export function* groupsOf<Entry extends Pick<Composable, 'isLong' | 'composition'>>(
  entries: readonly Entry[],
): Generator<readonly Entry[]> {
  let from = 0
  let bytes = 0
  for (const [at, entry] of entries.entries()) {
    bytes += bytesToCome(entry)
    if (bytes <= GROUP.bytes && at - from < GROUP.entries) continue
    if (at > from) yield entries.slice(from, at)
    from = at
    bytes = bytesToCome(entry)
  }
  yield entries.slice(from)
}

async function readLong(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: BundleAddress,
  { long, values }: { long: readonly BundleEntry[]; values: 'public' | 'all' },
): Promise<ReadonlyMap<string, Plaintext>> {
  const sources = long.flatMap(unreadSources)
  const namesOf = (isAttached: boolean) => {
    const names = sources.filter(({ id }) => (id !== null) === isAttached).map(({ name }) => name)
    return { names: [...new Set(names)], values }
  }
  const [attached, legacy] = await Promise.all([
    attachments.longValues(tenantId, bundleId, namesOf(true)),
    legacyItems.longValues(tenantId, bundleId, namesOf(false)),
  ])
  return new Map([...legacy, ...attached])
}

/** `bytes`: of the value's UTF-8; for a template, of its text. */
export type ValueSize = Pick<Composable, 'name' | 'bytes' | 'templateUses'>

/** The size of each value that a bundle delivers, by name. The database knows it without reading a
 * value, so an approval that is too large is refused before any value is in memory. */
export async function valueSizes(
  { attachments, legacyItems }: EntryStores,
  { tenantId, bundleId }: BundleAddress,
): Promise<ReadonlyMap<string, ValueSize>> {
  const [attached, legacy] = await Promise.all([
    attachments.list(tenantId, bundleId, 'none'),
    legacyItems.list(tenantId, bundleId, 'none'),
  ])
  const unattached = legacy.map(({ name, bytes }) => ({ name, bytes, templateUses: null }))
  return new Map([...unattached, ...attached].map((size) => [size.name, size]))
}

/** When the value of each variable changed last, and who changed it, by the name that the bundle delivers. */
export interface ValueOriginStore {
  of(tenantId: string, bundleId: string): Promise<ReadonlyMap<string, ValueOrigin>>
}

/** `changed_at`: ISO timestamp. `changed_by`: a username, null for a user who is gone. */
export type ValueOrigin = { changed_at: string; changed_by: string | null }
