import type { ComparedRow } from '../../lib/calls/answers.ts'

/** Whether the bundles do not all deliver the name from the same key. */
export function differs({ cells }: ComparedRow): boolean {
  const [first] = cells
  return cells.some(({ state, key_id }) => state !== 'shared' || key_id !== first?.key_id)
}

/** The keys that deliver a row's name, and the bundles that use each. */
export function keysOf(row: ComparedRow): { id: string; name: string; bundleIds: string[] }[] {
  const byId = new Map<string, { id: string; name: string; bundleIds: string[] }>()
  for (const { key_id: id, key_name: name, bundle_id } of row.cells) {
    if (id === null || name === null) continue
    const key = byId.get(id) ?? { id, name, bundleIds: [] }
    key.bundleIds.push(bundle_id)
    byId.set(id, key)
  }
  return [...byId.values()]
}
