import type { DeliveredKey } from '../deliveries/delivery.ts'
import type { BundleEntry } from '../library/bundle-entry.ts'

/** What a person approved last of a bundle. `at`: ISO timestamp. */
export type LastApproval = { at: string; keys: readonly DeliveredKey[] }

export interface LastApprovalStore {
  /** Null: the person never approved a delivery of this bundle that could leave the server. */
  of(tenantId: string, person: { userId: string; bundleId: string }): Promise<LastApproval | null>
}

/** The names whose values are not those of the last approval. A name that it left out counts if its value is newer.
 * @param setAt when the value of a name was set, as an ISO timestamp */
export function changedSince(
  last: LastApproval | null,
  entries: readonly BundleEntry[],
  setAt: (name: string) => string | undefined,
): ReadonlySet<string> {
  if (last === null) return new Set()
  const versions = new Map(last.keys.map(({ id, version }) => [id, version]))
  const names = new Set(last.keys.map(({ name }) => name))
  const isChanged = ({ id, name, version }: Pick<BundleEntry, 'id' | 'name' | 'version'>) => {
    const approved = id === null ? undefined : versions.get(id)
    if (approved !== undefined) return approved !== version
    return id !== null && (names.has(name) || (setAt(name) ?? '') > last.at)
  }
  const changed = entries.filter(
    (entry) => isChanged(entry) || (entry.composition?.parts ?? []).some(isChanged),
  )
  return new Set(changed.map(({ name }) => name))
}
