import { Plus, Upload } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Bundle } from '../../lib/answers.ts'
import { useBundles } from '../../lib/bundles.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { LoadingState } from '../../ui/loading-state.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { BundleRow } from './bundle-row.tsx'
import { flatRows, rowKey, tagsOf, treeRows } from './bundle-tree.ts'
import { FirstSteps } from './first-steps.tsx'
import { NewBundleDialog } from './new-bundle-dialog.tsx'
import { SORTS, useBundleFilters } from './use-bundle-filters.ts'

const ROW_HEIGHT_PX = 53

/** All bundles: as a tree, or as a list while one searches, filters or sorts. */
export function BundlesPage() {
  const bundles = useBundles()
  const [creating, setCreating] = useState(false)
  return (
    <>
      <PageHeading
        title="Bundles"
        intro="Each bundle is a set of keys that one program needs."
        actions={
          <>
            <Link href="/bundles/import" className={buttonClasses()}>
              <Upload aria-hidden size={16} /> Import
            </Link>
            <Button look="primary" onClick={() => setCreating(true)}>
              <Plus aria-hidden size={16} /> New bundle
            </Button>
          </>
        }
      />
      {bundles.data === undefined ? (
        <LoadingState error={bundles.error} onRetry={() => void bundles.refetch()} what="bundles" />
      ) : bundles.data.length === 0 ? (
        <FirstSteps />
      ) : (
        <BundleList bundles={bundles.data} />
      )}
      {creating && <NewBundleDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function BundleList({ bundles }: { bundles: readonly Bundle[] }) {
  const { query, tag, sort, set, shown, isTree } = useBundleFilters(bundles)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => (isTree ? treeRows(shown, closed) : flatRows(shown)), [isTree, shown, closed])
  const tags = useMemo(() => [...new Set(bundles.flatMap(tagsOf))].toSorted(), [bundles])
  const toggle = (path: string) => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    setClosed(next)
  }
  return (
    <>
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
          onChange={(event) =>
            set('sort', event.currentTarget.value === 'name' ? '' : event.currentTarget.value)
          }
          className="field w-auto flex-1 sm:flex-none"
        >
          {Object.entries(SORTS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <p className="sr-only" role="status">
        {shown.length} {shown.length === 1 ? 'bundle' : 'bundles'}
      </p>
      {rows.length === 0 ? (
        <p className="py-6 text-ink-soft">No bundle matches. Change the search or the tag.</p>
      ) : (
        <VirtualList
          label="Bundles"
          items={rows}
          keyOf={rowKey}
          rowHeight={ROW_HEIGHT_PX}
          render={(row) => <BundleRow row={row} sort={sort} onToggle={toggle} />}
        />
      )}
    </>
  )
}
