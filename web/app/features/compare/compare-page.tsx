import { useState } from 'react'
import type { Bundle, ComparedRow } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { counted } from '../../lib/words/counted.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded, LoadingState } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { BundleChoice, useComparedBundles } from './bundle-choice.tsx'
import { CompareTable } from './compare-table.tsx'
import { differs } from './compared-row.ts'
import { Legend } from './marks.tsx'
import { MissingDialog } from './missing-dialog.tsx'

/** Names × bundles: which bundle delivers what, from a shared key or its own. Shows no values. */
export function ComparePage() {
  const bundles = useAnswer('listBundles', {})
  return (
    <>
      <PageHeading
        title="Compare"
        intro="Which bundle delivers which name, from a shared key or from its own. No values are shown."
      />
      <Loaded query={bundles} what="the bundles">
        {(data) => <Comparison bundles={data} />}
      </Loaded>
    </>
  )
}

function Comparison({ bundles }: { bundles: readonly Bundle[] }) {
  const compared = useComparedBundles(bundles)
  const { chosen } = compared
  const comparison = useAnswer(
    'compareBundles',
    { bundle_id: chosen.map(({ id }) => id) },
    { enabled: chosen.length >= 2 },
  )
  return (
    <>
      <BundleChoice bundles={bundles} compared={compared} />
      {chosen.length < 2 ? (
        <EmptyState title="Choose at least two bundles">
          <p>For example dev/app and prod/app: you see at once what one of them lacks.</p>
        </EmptyState>
      ) : comparison.data === undefined ? (
        <LoadingState query={comparison} what="the comparison" />
      ) : (
        <ComparedNames bundles={chosen} rows={comparison.data.rows} />
      )}
    </>
  )
}

type Missing = { row: ComparedRow; bundle: Bundle }

function ComparedNames({ bundles, rows }: { bundles: readonly Bundle[]; rows: readonly ComparedRow[] }) {
  const { textOf, set } = useAddressFields(['query', 'show'])
  const [missing, setMissing] = useState<Missing | null>(null)
  const query = textOf('query')
  const onlyDiffering = textOf('show') === 'differing'
  const differing = rows.filter(differs).length
  const shown = rows.filter((row) => matches(row.name, query) && (!onlyDiffering || differs(row)))
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label="Filter names"
          value={query}
          onChange={(text) => set('query', text)}
          className="min-w-40 flex-1 basis-full sm:basis-40"
        />
        <Checkbox
          className="inline-flex min-h-10 items-center gap-2 text-sm"
          checked={onlyDiffering}
          onChange={(checked) => set('show', checked ? 'differing' : '')}
          label={`Only missing or differing (${differing})`}
        />
      </div>
      <Legend
        hasComposed={rows.some(({ cells }) => cells.some((cell) => cell.template_parts !== undefined))}
      />
      <p role="status" className="sr-only">
        {counted(shown.length, 'name')}
      </p>
      {shown.length === 0 ? (
        <p className="py-6 text-ink-soft">{emptyText(rows.length, query)}</p>
      ) : (
        <CompareTable bundles={bundles} rows={shown} onMissing={setMissing} />
      )}
      {missing !== null && <MissingDialog {...missing} bundles={bundles} onClose={() => setMissing(null)} />}
    </>
  )
}

function emptyText(total: number, query: string): string {
  if (total === 0) return 'These bundles have no keys.'
  return query === '' ? 'These bundles deliver the same keys.' : 'No name matches. Change the filter.'
}
