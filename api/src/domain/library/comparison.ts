import type { Comparison } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, bundleNotFound } from './bundle.ts'
import { takingOut } from './bundle-rights.ts'
import type { KeyStore } from './key.ts'
import { type Deadlines, dueOf } from './key-lifetime.ts'
import type { TemplateParts } from './template.ts'
import { mayChange, mayShow, type ValueRights } from './value-rights.ts'
import { maskedText } from './wanted-values.ts'

/*
 * A comparison puts the names that bundles deliver beside one another. It reads attachments and names only: the same
 * key means the same value, so nothing is decrypted. Every member may compare. With facts it also reads, some rows at
 * a time, what every member may know of the keys; secret values stay in the database.
 */

/** A variable of a bundle; a legacy item has no key. */
type ComparedEntry = {
  bundle_id: string
  name: string
  key_id: string | null
  key_name: string | null
  required: boolean
  order: number
  templateParts: TemplateParts
}

type ComparisonRow = z.output<typeof Comparison>['rows'][number]
type Cell = ComparisonRow['cells'][number]
type CellFacts = NonNullable<Cell['facts']>

type OfAttachment = 'required' | 'order' | 'missing_parts' | 'may_detach'

type Derived = OfAttachment | 'value' | 'due' | 'may_change' | 'may_show'

/** `value`: null for a secret, and for a long one (`isLong`). */
export type ComparedKey = Omit<CellFacts, Derived> &
  Deadlines &
  Pick<ValueRights, 'value_proposed_by'> & { value: Plaintext | null; isLong: boolean }

export interface ComparisonStore {
  /** Of keys, by id. */
  factsOf(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, ComparedKey>>
  areAllThere(tenantId: string, bundleIds: readonly string[]): Promise<boolean>
  /** What a bundle delivers, in any order, hidden legacy items included. */
  entriesOf(tenantId: string, bundleId: string): Promise<ComparedEntry[]>
}

const ROWS_AT_ONCE = 500

/** Compare bundles: a row for each name, by name; in each row a cell for each bundle, in the order given. Some rows at
 * a time: 20 bundles of 10,000 names make 50 MB.
 * @throws DomainError not_found */
export async function compareBundles(
  comparison: ComparisonStore,
  { tenantId }: Caller,
  bundleIds: readonly string[],
): Promise<AsyncIterable<readonly ComparisonRow[]>> {
  const byName = await entriesByName(comparison, tenantId, bundleIds)
  return rowsOf(byName, bundleIds)
}

type FactParts = { comparison: ComparisonStore; keys: KeyStore; bundles: BundleStore; clock: ClockAndIds }

/** As `compareBundles`, with what the caller may know of each key and do with it.
 * @throws DomainError not_found */
export async function compareWithFacts(
  parts: FactParts,
  caller: Caller,
  bundleIds: readonly string[],
): Promise<AsyncIterable<readonly ComparisonRow[]>> {
  const byName = await entriesByName(parts.comparison, caller.tenantId, bundleIds)
  return withFacts(parts, caller, { byName, bundleIds })
}

async function entriesByName(
  comparison: ComparisonStore,
  tenantId: string,
  bundleIds: readonly string[],
): Promise<EntriesByName> {
  if (!(await comparison.areAllThere(tenantId, bundleIds))) throw bundleNotFound()
  const byName: EntriesByName = new Map()
  for (const bundleId of bundleIds) addTo(byName, await comparison.entriesOf(tenantId, bundleId))
  return byName
}

/** By name and bundle. */
type EntriesByName = Map<string, Map<string, ComparedEntry>>

function addTo(byName: EntriesByName, entries: readonly ComparedEntry[]): void {
  for (const entry of entries) {
    const row = byName.get(entry.name) ?? new Map<string, ComparedEntry>()
    // An attached key hides a legacy item of its name.
    if (entry.key_id !== null || !row.has(entry.bundle_id)) row.set(entry.bundle_id, entry)
    byName.set(entry.name, row)
  }
}

async function* rowsOf(byName: EntriesByName, bundleIds: readonly string[]): AsyncGenerator<ComparisonRow[]> {
  const all = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (let from = 0; from < all.length; from += ROWS_AT_ONCE) {
    const some = all.slice(from, from + ROWS_AT_ONCE)
    yield some.map(([name, row]) => ({ name, cells: cellsOf(row, bundleIds) }))
  }
}

function cellsOf(row: ReadonlyMap<string, ComparedEntry>, bundleIds: readonly string[]): Cell[] {
  const uses = new Map<string, number>()
  for (const { key_id } of row.values()) if (key_id !== null) uses.set(key_id, (uses.get(key_id) ?? 0) + 1)
  return bundleIds.map((bundle_id): Cell => {
    const entry = row.get(bundle_id)
    if (!entry) return { bundle_id, state: 'missing', key_id: null, key_name: null }
    const { key_id, key_name, templateParts } = entry
    const isShared = key_id !== null && (uses.get(key_id) ?? 0) > 1
    const cell = { bundle_id, state: isShared ? 'shared' : 'own', key_id, key_name } as const
    return templateParts === null ? cell : { ...cell, template_parts: [...templateParts] }
  })
}

type Compared = { byName: EntriesByName; bundleIds: readonly string[] }

async function* withFacts(
  parts: FactParts,
  caller: Caller,
  { byName, bundleIds }: Compared,
): AsyncGenerator<readonly ComparisonRow[]> {
  for await (const rows of rowsOf(byName, bundleIds)) {
    const keyIds = [...new Set(rows.flatMap(({ cells }) => cells.flatMap(({ key_id }) => key_id ?? [])))]
    const factsOf = await factReader(parts, caller, { byName, bundleIds, keyIds })
    const shown = (name: string) => (cell: Cell) => {
      const facts = factsOf(name, cell)
      return facts === null ? cell : { ...cell, facts }
    }
    yield rows.map(({ name, cells }) => ({ name, cells: cells.map(shown(name)) }))
  }
}

async function factReader(
  { comparison, keys, bundles, clock }: FactParts,
  caller: Caller,
  { byName, bundleIds, keyIds }: Compared & { keyIds: readonly string[] },
): Promise<(name: string, cell: Cell) => CellFacts | null> {
  const { tenantId, role } = caller
  const [known, changers, mayTake] = await Promise.all([
    comparison.factsOf(tenantId, keyIds),
    role === 'owner' ? null : keys.changersOf(tenantId, keyIds),
    takingOut(bundles, caller, { bundleIds, keyIds }),
  ])
  return (name, cell) => {
    const { bundle_id, key_id } = cell
    const entry = byName.get(name)?.get(bundle_id)
    const key = known.get(key_id ?? '')
    if (key_id === null || key === undefined || entry === undefined) return null
    const { set_by, value_proposed_by } = key
    const rights = { value_set_by: set_by.id, value_proposed_by, changers: changers?.get(key_id) ?? 'owner' }
    return {
      ...presentFacts(key, clock.now()),
      required: entry.required,
      order: entry.order,
      missing_parts: missingParts(cell, byName),
      may_change: mayChange(caller, rights),
      may_show: mayShow(caller, rights),
      may_detach: mayTake(bundle_id, key_id),
    }
  }
}

function presentFacts({ rotate_at, isLong, value, value_proposed_by: _by, ...key }: ComparedKey, now: Date) {
  const due = dueOf({ expires_at: key.expires_at, rotate_at }, now)
  return { ...key, due, value: isLong ? null : maskedText(value) }
}

function missingParts({ bundle_id, template_parts = [] }: Cell, byName: EntriesByName): string[] {
  return template_parts.filter((name) => {
    const part = byName.get(name)?.get(bundle_id)
    return part === undefined || part.templateParts !== null
  })
}
