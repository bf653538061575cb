import { COMPARED_WORDS } from '@keyferry/contract/compared'
import { useMemo, useState } from 'react'
import type { Bundle, ComparedRow } from '../../lib/calls/answers.ts'
import { useAnswer, useAnswers } from '../../lib/calls/use-call.ts'
import { readableIn } from '../../lib/data/bundles.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { matches } from '../../lib/page/search.ts'
import { useSelection } from '../../lib/page/selection.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { counted } from '../../lib/words/counted.ts'
import { AddVariableDialog } from '../../ui/add-variable/add-variable-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Copy } from '../../ui/icons.ts'
import { Loaded, LoadingState } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SelectionBar } from '../../ui/selection/selection-bar.tsx'
import { Applications, BundleChoice, useComparedBundles } from './bundle-choice.tsx'
import { CompareTable } from './compare-table.tsx'
import { copiesTo, stateOf } from './compared-row.ts'
import { CopyDialog } from './copy-dialog.tsx'
import { Legend } from './marks.tsx'

/** Names × bundles: which bundle delivers what, with its own value or the same. Shows no secrets. */
export function ComparePage() {
  const bundles = useAnswer('listBundles', {})
  return (
    <>
      <PageHeading
        title="Compare"
        intro="Which bundle delivers which variable, with its own value or the same. Secrets stay hidden."
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
          <Applications bundles={bundles} />
        </EmptyState>
      ) : comparison.data === undefined ? (
        <LoadingState query={comparison} what="the comparison" />
      ) : (
        <ComparedNames bundles={chosen} rows={comparison.data.rows} />
      )}
    </>
  )
}

type ComparedProps = { bundles: readonly Bundle[]; rows: readonly ComparedRow[] }

/** The compared names with their filters, and what fills those that are missing. */
function ComparedNames({ bundles, rows }: ComparedProps) {
  const { textOf, set } = useAddressFields(['query', 'show'])
  const [asked, setAsked] = useState<{ name: string; bundle: Bundle } | { copiesTo: Bundle } | null>(null)
  const readable = useReadable(bundles)
  const query = textOf('query')
  const show = textOf('show')
  const sorted = useMemo(() => missingFirst(rows), [rows])
  const shown = sorted.filter((row) => matches(row.name, query) && (show === '' || stateOf(row) === show))
  const names = shown.filter(isMissing).map(({ name }) => name)
  const selection = useSelection(names, names)
  const ticked = rows.filter(({ name }) => selection.chosen.has(name))
  const done = () => setAsked(null)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <ShownStates rows={rows} show={show} onShow={(state) => set('show', state)} />
        <SearchField label="Filter names" value={query} onChange={(text) => set('query', text)} />
      </div>
      <p role="status" className="sr-only">
        {counted(shown.length, 'name')}
      </p>
      <SelectionBar selection={selection} shown={names}>
        <CopyButtons bundles={bundles} rows={ticked} onCopy={(to) => setAsked({ copiesTo: to })} />
      </SelectionBar>
      {shown.length === 0 ? (
        <p className="py-6 text-ink-soft">
          {rows.length === 0 ? 'These bundles have no variables.' : 'No name matches. Change the filter.'}
        </p>
      ) : (
        <CompareTable {...{ bundles, readable, selection }} rows={shown} onMissing={setAsked} />
      )}
      <Legend hasComposed={rows.some(isComposed)} />
      {asked !== null && 'name' in asked && <AddVariableDialog {...asked} among={bundles} onClose={done} />}
      {asked !== null && 'copiesTo' in asked && (
        <CopyDialog to={asked.copiesTo} bundles={bundles} rows={ticked} onClose={done} />
      )}
    </>
  )
}

const isComposed = ({ cells }: ComparedRow) => cells.some((cell) => cell.template_parts !== undefined)

const isMissing = (row: ComparedRow): boolean => stateOf(row) === 'missing'

function missingFirst(rows: readonly ComparedRow[]): ComparedRow[] {
  return [...rows.filter(isMissing), ...rows.filter((row) => !isMissing(row))]
}

type ShownStatesProps = { rows: readonly ComparedRow[]; show: string; onShow: (state: string) => void }

/** What the table shows: all names, or those in one state; each with its number. */
function ShownStates({ rows, show, onShow }: ShownStatesProps) {
  const states = [['', 'All'], ...Object.entries(COMPARED_WORDS)] as const
  return (
    <fieldset className="flex overflow-hidden rounded-md border border-edge text-sm">
      <legend className="sr-only">Show</legend>
      {states.map(([state = '', name]) => (
        <button
          key={state}
          type="button"
          aria-pressed={show === state}
          onClick={() => onShow(state)}
          className="min-h-10 border-l border-edge px-3 -outline-offset-2 first:border-0 hover:bg-sunken aria-pressed:bg-accent-soft aria-pressed:font-medium"
        >
          {name}{' '}
          <span className="text-ink-soft">
            {state === '' ? rows.length : rows.filter((row) => stateOf(row) === state).length}
          </span>
        </button>
      ))}
    </fieldset>
  )
}

type CopyButtonsProps = {
  bundles: readonly Bundle[]
  rows: readonly ComparedRow[]
  onCopy: (to: Bundle) => void
}

function CopyButtons({ bundles, rows, onCopy }: CopyButtonsProps) {
  const library = useLibrary()
  if (library.data === undefined) return <LoadingState query={library} what="the keys" />
  const { data } = library
  const countFor = (id: string) => copiesTo(id, rows, data).length
  const targets = bundles.filter(({ id, may_edit }) => may_edit && countFor(id) > 0)
  if (targets.length === 0) return <p className="text-sm text-ink-soft">There is no key that you may copy.</p>
  return targets.map((bundle) => (
    <Button
      key={bundle.id}
      size="small"
      look="primary"
      icon={Copy}
      label={`Copy ${countFor(bundle.id)} to ${bundle.name}…`}
      onClick={() => onCopy(bundle)}
    />
  ))
}

const MOST_WITH_VALUES = 4

/** The values that everyone may read, where the table has room for them. */
function useReadable(bundles: readonly Bundle[]): (bundleId: string, name: string) => string | undefined {
  const shown = bundles.length <= MOST_WITH_VALUES ? bundles : []
  const answers = useAnswers(
    'getBundle',
    shown.map(({ id }) => ({ bundle_id: id })),
  )
  const values = useMemo(() => new Map(answers.map(({ id, items }) => [id, readableIn(items)])), [answers])
  return (bundleId, name) => values.get(bundleId)?.get(name)
}
