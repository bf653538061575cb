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

type Row = z.output<typeof Comparison>['rows'][number]
type Cell = Row['cells'][number]

export interface ComparisonStore {
  /** What the bundles deliver, in any order, hidden legacy items included; null when one of them does not exist. */
  entriesOf(tenantId: string, bundleIds: readonly string[]): Promise<ComparedEntry[] | null>
}

/** Compare bundles: a row for each name, by name; in each row a cell for each bundle, in the order given.
 * @throws DomainError not_found */
export async function compareBundles(
  comparison: ComparisonStore,
  { tenantId }: Caller,
  bundleIds: readonly string[],
): Promise<Row[]> {
  const entries = await comparison.entriesOf(tenantId, bundleIds)
  if (!entries) throw bundleNotFound()
  const byName = new Map<string, Map<string, ComparedEntry>>()
  for (const entry of entries) {
    const row = byName.get(entry.name) ?? new Map<string, ComparedEntry>()
    // An attached key hides a legacy item of its name.
    if (entry.key_id !== null || !row.has(entry.bundle_id)) row.set(entry.bundle_id, entry)
    byName.set(entry.name, row)
  }
  return [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, row]) => ({ name, cells: cellsOf(row, bundleIds) }))
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
