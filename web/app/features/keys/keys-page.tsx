import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { useSelection } from '../../lib/page/use-selection.ts'
import { byVariable } from '../../lib/rules/variables.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SelectedKeys } from '../../ui/selection/selected-keys.tsx'
import { KeyFilters, type Stale, useKeyFilters } from './key-filters.tsx'
import { KeyRow, rowId, rowsOf, VariableRow } from './key-row.tsx'

const ROW_HEIGHT_PX = 45

/** The library: every value, by the variable that it is a value of. */
export function KeysPage() {
  const keys = useLibrary()
  return (
    <>
      <PageHeading
        title="Keys"
        intro="Every variable, with its values. A value that several bundles share changes in all of them."
        actions={<ButtonLink label="New key" href="/keys/new" icon={Plus} look="primary" />}
      />
      <Loaded query={keys} what="the keys">
        {(data) => (data.length === 0 ? <EmptyLibrary /> : <KeyList keys={data} />)}
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

function KeyList({ keys }: { keys: readonly Key[] }) {
  const stale = useStaleCounts()
  const filters = useKeyFilters(keys, stale)
  const { shown } = filters
  const rows = useMemo(() => rowsOf(byVariable(shown)), [shown])
  const shownIds = useMemo(() => rows.flatMap((row) => (row.kind === 'key' ? [row.key.id] : [])), [rows])
  const allIds = useMemo(() => keys.map(({ id }) => id), [keys])
  const selection = useSelection(allIds, shownIds)
  return (
    <>
      <KeyFilters keys={keys} stale={stale} filters={filters} />
      <FoundList
        noun="key"
        narrowedBy="the search or the filter"
        label="Keys"
        items={rows}
        count={shown.length}
        keyOf={rowId}
        rowHeight={ROW_HEIGHT_PX}
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
    </>
  )
}
