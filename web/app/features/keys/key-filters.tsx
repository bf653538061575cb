import { useMemo } from 'react'
import type { Key } from '../../lib/calls/answers.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { FILTERS, type Stale, type useKeyFilters } from './use-key-filters.ts'

type KeyFiltersProps = { keys: readonly Key[]; stale: Stale; filters: ReturnType<typeof useKeyFilters> }

/** Search and filter of the library; each filter says how many keys it leaves. */
export function KeyFilters({ keys, stale, filters: { query, filter, set } }: KeyFiltersProps) {
  const choices = useMemo(
    () =>
      Object.entries(FILTERS).map(
        ([value, { name, keep }]) =>
          [value, `${name} (${keys.filter((key) => keep(key, stale)).length})`] as const,
      ),
    [keys, stale],
  )
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField
        label="Search keys"
        value={query}
        onChange={(text) => set('query', text)}
        className="min-w-40 flex-1 basis-full sm:basis-40"
      />
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
