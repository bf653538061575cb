import { useMemo } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { SearchField } from '../../ui/search-field.tsx'
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
        <select
          aria-label="Tag"
          value={tag}
          onChange={(event) => set('tag', event.currentTarget.value)}
          className="field w-auto flex-1 sm:flex-none"
        >
          <option value="">All tags</option>
          {tags.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <select
        aria-label="Order"
        value={sort}
        onChange={({ currentTarget: { value } }) => set('sort', value === 'name' ? '' : value)}
        className="field w-auto flex-1 sm:flex-none"
      >
        {Object.entries(SORTS).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
