import { useMemo } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { tagsOf } from './bundle-tree.ts'
import { SORTS, type useBundleFilters } from './use-bundle-filters.ts'

type BundleFiltersProps = { bundles: readonly Bundle[]; filters: ReturnType<typeof useBundleFilters> }

/** Search, tag and order of the list of bundles. */
export function BundleFilters({ bundles, filters: { query, tag, sort, set } }: BundleFiltersProps) {
  const tags = useMemo(() => [...new Set(bundles.flatMap(tagsOf))].toSorted(), [bundles])
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField
        label="Search bundles"
        value={query}
        onChange={(text) => set('query', text)}
        className="min-w-40 flex-1 basis-full sm:basis-40"
      />
      {tags.length > 0 && (
        <Select
          aria-label="Tag"
          value={tag}
          options={[['', 'All tags'], ...tags.map((name) => [name, name] as const)]}
          onChange={(text) => set('tag', text)}
          className="field w-auto flex-1 sm:flex-none"
        />
      )}
      <Select
        aria-label="Order"
        value={sort}
        options={Object.entries(SORTS)}
        onChange={(text) => set('sort', text === 'name' ? '' : text)}
        className="field w-auto flex-1 sm:flex-none"
      />
    </div>
  )
}
