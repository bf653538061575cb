import type { Comparison } from '@keyferry/contract'
import type { z } from 'zod'
import type { Caller } from '../people/membership.ts'
import { bundleNotFound } from './bundle.ts'
import type { TemplateParts } from './template.ts'

/*
 * A comparison puts the names that bundles deliver beside one another. It reads attachments and names only: the same
 * key means the same value, so nothing is decrypted. Every member may compare.
 */

/** A variable of a bundle; a legacy item has no key. */
type ComparedEntry = {
  bundle_id: string
  name: string
  key_id: string | null
  key_name: string | null
  templateParts: TemplateParts
}

type ComparisonRow = z.output<typeof Comparison>['rows'][number]
type Cell = ComparisonRow['cells'][number]

export interface ComparisonStore {
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
  if (!(await comparison.areAllThere(tenantId, bundleIds))) throw bundleNotFound()
  const byName: EntriesByName = new Map()
  for (const bundleId of bundleIds) addTo(byName, await comparison.entriesOf(tenantId, bundleId))
  return rowsOf(byName, bundleIds)
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

async function* rowsOf(
  byName: EntriesByName,
  bundleIds: readonly string[],
): AsyncGenerator<readonly ComparisonRow[]> {
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
