import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useSelection } from '../../lib/page/use-selection.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SelectedKeys } from '../../ui/selection/selected-keys.tsx'
import { KeyFilters, type Stale, useKeyFilters } from './key-filters.tsx'
import { KeyRow } from './key-row.tsx'

const ROW_HEIGHT_PX = 49

/** The library: every key, each once. */
export function KeysPage() {
  const keys = useAnswer('listKeys', {})
  return (
    <>
      <PageHeading
        title="Keys"
        intro="The library. Changing a key changes it in every bundle that uses it."
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
  const shownIds = useMemo(() => shown.map(({ id }) => id), [shown])
  const allIds = useMemo(() => keys.map(({ id }) => id), [keys])
  const selection = useSelection(allIds, shownIds)
  return (
    <>
      <KeyFilters keys={keys} stale={stale} filters={filters} />
      <FoundList
        noun="key"
        narrowedBy="the search or the filter"
        label="Keys"
        items={shown}
        keyOf={({ id }) => id}
        rowHeight={ROW_HEIGHT_PX}
        render={(key, index) => (
          <KeyRow
            item={key}
            stale={stale.get(key.id) ?? 0}
            selected={selection.chosen.has(key.id)}
            edges={classNames(index === 0 && 'rounded-t-lg', index === shown.length - 1 && 'rounded-b-lg')}
            onTick={(isRange) => selection.tick(key.id, isRange)}
          />
        )}
      >
        <SelectedKeys selection={selection} shown={shownIds} library={keys} />
      </FoundList>
    </>
  )
}
