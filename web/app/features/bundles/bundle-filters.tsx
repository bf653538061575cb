import { useMemo } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { tagsOf } from './bundle-tree.ts'

const SORTS = { name: 'By name', changed: 'Last changed', created: 'Newest' } as const
export type Sort = keyof typeof SORTS

const ORDERS: Readonly<Record<Sort, (a: Bundle, b: Bundle) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name),
  changed: (a, b) => b.updated_at.localeCompare(a.updated_at),
  created: (a, b) => b.created_at.localeCompare(a.created_at),
}

/** Search, tag and order of the list, kept in the address so that they can be linked to. */
export function useBundleFilters(bundles: readonly Bundle[]) {
  const { textOf, set } = useAddressFields(['query', 'tag', 'sort'])
  const query = textOf('query')
  const tag = textOf('tag')
  const sort = parseSort(textOf('sort'))
  const shown = useMemo(
    () =>
      bundles
        .filter((bundle) => matches(`${bundle.name} ${bundle.description}`, query))
        .filter((bundle) => tag === '' || tagsOf(bundle).includes(tag))
        .toSorted(ORDERS[sort]),
    [bundles, query, tag, sort],
  )
  return { query, tag, sort, set, shown, isTree: query === '' && tag === '' && sort === 'name' }
}

function parseSort(text: string): Sort {
  return text === 'changed' || text === 'created' ? text : 'name'
}

type BundleFiltersProps = { bundles: readonly Bundle[]; filters: ReturnType<typeof useBundleFilters> }

/** Search, tag and order of the list of bundles. */
export function BundleFilters({ bundles, filters: { query, tag, sort, set } }: BundleFiltersProps) {
  const tags = useMemo(() => [...new Set(bundles.flatMap(tagsOf))].toSorted(), [bundles])
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      <SearchField label="Search bundles" value={query} onChange={(text) => set('query', text)} />
      {tags.length > 0 && (
        <Select
          aria-label="Tag"
          value={tag}
          options={[['', 'All tags'], ...tags.map((name) => [name, name] as const)]}
          onChange={(text) => set('tag', text)}
          className="field w-auto flex-1 sm:max-w-56 sm:flex-none"
        />
      )}
      <Select
        aria-label="Order"
        value={sort}
        options={SORTS}
        onChange={(text) => set('sort', text === 'name' ? '' : text)}
        className="field w-auto flex-1 sm:flex-none"
      />
    </div>
  )
}
