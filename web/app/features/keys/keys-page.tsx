import { type ReactNode, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useFirstKeys } from '../../lib/data/keys.ts'
import { useSelection } from '../../lib/page/selection.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { byVariable, type VariableKeys } from '../../lib/rules/variables.ts'
import { DUE_NAMES } from '../../lib/words/due.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Plus } from '../../ui/icons.ts'
import { KeyValue } from '../../ui/key-value.tsx'
import { LastChange } from '../../ui/last-change.tsx'
import { Loaded, LoadingState } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { RowCheckbox } from '../../ui/selection/row-checkbox.tsx'
import { SelectedKeys } from '../../ui/selection/selected-keys.tsx'
import { KeyFilters, type Stale, useKeyFilters } from './key-filters.tsx'

/** The library: every value, by the variable that it is a value of. */
export function KeysPage() {
  const { textOf } = useAddressFields(['query', 'filter'])
  const isNarrowed = textOf('query') !== '' || textOf('filter') !== ''
  const [isWanted, setWanted] = useState(false)
  const keys = useFirstKeys(isWanted || isNarrowed)
  const others = keys.isWhole ? null : isWanted || isNarrowed ? (
    <LoadingState query={keys} what="the other keys" />
  ) : (
    <Button label="Show all keys" onClick={() => setWanted(true)} className="mt-3" />
  )
  return (
    <>
      <PageHeading
        title="Keys"
        intro="Every variable, with its values. A value that several bundles share changes in all of them."
        actions={<ButtonLink label="New key" href="/keys/new" icon={Plus} look="primary" />}
      />
      <Loaded query={keys} what="the keys">
        {(data) => (data.length === 0 ? <EmptyLibrary /> : <KeyList keys={data} others={others} />)}
      </Loaded>
    </>
  )
}

function EmptyLibrary() {
  return (
    <EmptyState title="The library is empty">
      <p>
        A key is one environment variable. Create one, or{' '}
        <Link href="/bundles/import" className="link">
          import a .env file
        </Link>{' '}
        to bring in many at once.
      </p>
    </EmptyState>
  )
}

function useStaleCounts(): Stale {
  const { data } = useAnswer('listStaleKeys', { limit: 1_000 })
  return useMemo(() => new Map((data ?? []).map(({ id, holders }) => [id, holders])), [data])
}

/** @param others what leads to the other keys, or says that they are on their way; null: all keys are here */
function KeyList({ keys, others }: { keys: readonly Key[]; others: ReactNode }) {
  const stale = useStaleCounts()
  const filters = useKeyFilters(keys, stale)
  const { shown } = filters
  const rows = useMemo(() => rowsOf(byVariable(shown)), [shown])
  const shownIds = useMemo(() => rows.flatMap((row) => (row.kind === 'key' ? [row.key.id] : [])), [rows])
  const allIds = useMemo(() => keys.map(({ id }) => id), [keys])
  const selection = useSelection(allIds, shownIds)
  return (
    <>
      <KeyFilters keys={others === null ? keys : null} stale={stale} filters={filters} />
      {(others === null || rows.length > 0) && (
        <FoundList
          noun="key"
          narrowedBy="the search or the filter"
          label="Keys"
          items={rows}
          count={shown.length}
          keyOf={rowId}
          rowHeight={45}
          render={(row, index) =>
            row.kind === 'variable' ? (
              <VariableRow {...row} />
            ) : (
              <KeyRow
                row={row}
                stale={stale.get(row.key.id) ?? 0}
                selected={selection.chosen.has(row.key.id)}
                edges={classNames(index === 0 && 'rounded-t-lg', index === rows.length - 1 && 'rounded-b-lg')}
                onTick={(isRange) => selection.tick(row.key.id, isRange)}
              />
            )
          }
        >
          <SelectedKeys selection={selection} shown={shownIds} library={keys} />
        </FoundList>
      )}
      {others}
    </>
  )
}

/** One row of the list: a variable, or one of the values of the variable above. */
type LibraryRow =
  | { kind: 'variable'; name: string; values: number }
  | { kind: 'key'; key: Key; name: string; isOneOfSeveral: boolean }

/** A variable with one value is one row; one with several has a row for itself and each of them. */
function rowsOf(variables: readonly VariableKeys<Key>[]): LibraryRow[] {
  return variables.flatMap(({ name, keys }): LibraryRow[] => {
    const isOneOfSeveral = keys.length > 1
    const rows = keys.map((key): LibraryRow => ({ kind: 'key', key, name, isOneOfSeveral }))
    return isOneOfSeveral ? [{ kind: 'variable', name, values: keys.length }, ...rows] : rows
  })
}

function rowId(row: LibraryRow): string {
  return row.kind === 'variable' ? `variable ${row.name}` : row.key.id
}

/** The name of a variable that has a value of its own in several places. */
function VariableRow({ name, values }: { name: string; values: number }) {
  return (
    <p className="flex min-h-11 items-center gap-2 pl-10 text-sm">
      <EntryName name={name} className="font-mono font-medium [overflow-wrap:anywhere]" />
      <span className="text-xs text-ink-faint">{values} values</span>
    </p>
  )
}

type KeyRowProps = {
  row: Extract<LibraryRow, { kind: 'key' }>
  /** How many hold an older value. */
  stale: number
  selected: boolean
  /** Classes that round the corners of the first and the last row. */
  edges: string
  onTick: (isRange: boolean) => void
}

/** One value of the library, and the bundles that it is in. */
function KeyRow({ row: { key, name, isOneOfSeveral }, stale, selected, edges, onTick }: KeyRowProps) {
  const { id, value, is_secret, description, updated_at, updated_by_name, due, bundles = [] } = key
  const places = bundles.length === 0 ? 'in no bundle' : bundles.map((bundle) => bundle.name).join(' · ')
  return (
    <div className={classNames('flex', selected && 'bg-accent-soft', edges)}>
      <RowCheckbox name={isOneOfSeveral ? `${name} in ${places}` : name} checked={selected} onTick={onTick} />
      <Link
        href={`/keys/${id}`}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-x-4 py-1 pr-4 -outline-offset-2 hover:bg-sunken/60"
      >
        <span className={classNames('min-w-0 flex-1', isOneOfSeveral && 'pl-5')}>
          <span className="flex flex-wrap items-center gap-x-2">
            {isOneOfSeveral ? (
              <span className="sr-only">{name} in </span>
            ) : (
              <EntryName name={name} className="font-mono text-sm font-medium [overflow-wrap:anywhere]" />
            )}
            <span className="line-clamp-1 text-xs text-ink-soft">{places}</span>
            <DueBadge due={due} />
            {stale > 0 && <Badge>{stale} stale</Badge>}
          </span>
          {description !== '' && <span className="line-clamp-1 text-xs text-ink-soft">{description}</span>}
        </span>
        <KeyValue value={value} isSecret={is_secret} className="max-w-28 sm:max-w-64" />
        <span className="hidden w-40 shrink-0 truncate text-right text-xs text-ink-faint sm:block">
          <LastChange at={updated_at} by={updated_by_name} />
        </span>
      </Link>
    </div>
  )
}

/** Says why a value should be replaced; nothing where it should not. */
function DueBadge({ due }: { due: Key['due'] }) {
  if (due === null) return null
  return <Badge tone={due === 'expired' ? 'danger' : 'caution'}>{DUE_NAMES[due]}</Badge>
}
