import { useMemo } from 'react'
import type { Key } from '../../lib/calls/answers.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'

/** How many hold an older value of a key, by the key's id. */
export type Stale = ReadonlyMap<string, number>

const FILTERS = {
  all: { name: 'All', keep: () => true },
  due: { name: 'Due', keep: (key: Key) => key.due !== null },
  stale: { name: 'Old values held', keep: (key: Key, stale: Stale) => stale.has(key.id) },
  secret: { name: 'Secret', keep: (key: Key) => key.is_secret },
  open: { name: 'Not secret', keep: (key: Key) => !key.is_secret },
  used: { name: 'In a bundle', keep: (key: Key) => key.used_in_bundles > 0 },
  unused: { name: 'Unused', keep: (key: Key) => key.used_in_bundles === 0 },
} as const
type KeyFilterName = keyof typeof FILTERS

const isFilter = (text: string): text is KeyFilterName => Object.hasOwn(FILTERS, text)

/** Search and filter of the library, kept in the address so that they can be linked to. */
export function useKeyFilters(keys: readonly Key[], stale: Stale) {
  const { textOf, set } = useAddressFields(['query', 'filter'])
  const query = textOf('query')
  const named = textOf('filter')
  const filter = isFilter(named) ? named : 'all'
  const shown = useMemo(
    () => keys.filter((key) => FILTERS[filter].keep(key, stale) && matches(searched(key), query)),
    [keys, stale, query, filter],
  )
  return { query, filter, set, shown }
}

function searched({ name, description, bundles = [] }: Key): string {
  return [name, description, ...bundles.flatMap((bundle) => [bundle.as, bundle.name])].join(' ')
}

type KeyFiltersProps = {
  /** Null until all of them are known. */
  keys: readonly Key[] | null
  stale: Stale
  filters: ReturnType<typeof useKeyFilters>
}

/** Search and filter of the library; each filter says how many keys it leaves. */
export function KeyFilters({ keys, stale, filters: { query, filter, set } }: KeyFiltersProps) {
  const choices = useMemo(
    () =>
      Object.entries(FILTERS).map(
        ([value, { name, keep }]) =>
          [
            value,
            keys === null ? name : `${name} (${keys.filter((key) => keep(key, stale)).length})`,
          ] as const,
      ),
    [keys, stale],
  )
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField label="Search keys" value={query} onChange={(text) => set('query', text)} />
      <Select
        aria-label="Filter"
        value={filter}
        options={choices}
        onChange={(text) => set('filter', text === 'all' ? '' : text)}
        className="field w-auto flex-1 sm:flex-none"
      />
    </div>
  )
}
