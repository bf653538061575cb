import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { matches } from '../../lib/page/search.ts'
import { useSelection } from '../../lib/page/selection.ts'
import { DUE_NAMES } from '../../lib/words/due.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { KeyValue } from '../../ui/key-value.tsx'
import { LastChange } from '../../ui/last-change.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { RowCheckbox } from '../../ui/selection/row-checkbox.tsx'
import { SelectedKeys } from '../../ui/selection/selected-keys.tsx'

/** The variables that no bundle delivers: to put into bundles, or to delete. */
export function UnusedVariables({ query }: { query: string }) {
  const keys = useAnswer('listKeys', { used: '0', uses: '1' })
  return (
    <Section
      title="In no bundle"
      size="large"
      headingClass="mb-3"
      intro="No terminal can ask for these variables."
      action={<ButtonLink label="Show the applications" size="small" href="/" />}
    >
      <Loaded query={keys} what="the variables">
        {(data) => <Found keys={data} query={query} />}
      </Loaded>
    </Section>
  )
}

function Found({ keys, query }: { keys: readonly Key[]; query: string }) {
  const shown = useMemo(
    () => keys.filter(({ name, description }) => matches(`${name} ${description}`, query)),
    [keys, query],
  )
  const [allIds, shownIds] = useMemo(
    () => [keys.map(({ id }) => id), shown.map(({ id }) => id)],
    [keys, shown],
  )
  const selection = useSelection(allIds, shownIds)
  if (keys.length === 0) return <p className="py-6 text-ink-soft">Every variable is in a bundle.</p>
  return (
    <FoundList
      noun="variable"
      narrowedBy="the filter"
      label="Variables"
      items={shown}
      keyOf={({ id }) => id}
      rowHeight={45}
      render={(key, index) => (
        <KeyRow
          item={key}
          selected={selection.chosen.has(key.id)}
          edges={classNames(index === 0 && 'rounded-t-lg', index === shown.length - 1 && 'rounded-b-lg')}
          onTick={(isRange) => selection.tick(key.id, isRange)}
        />
      )}
    >
      <SelectedKeys
        selection={selection}
        shown={shownIds}
        keys={keys.filter(({ id }) => selection.chosen.has(id))}
        areUnused
      />
    </FoundList>
  )
}

type KeyRowProps = {
  item: Key
  selected: boolean
  /** Classes that round the corners of the first and the last row. */
  edges: string
  onTick: (isRange: boolean) => void
}

function KeyRow({ item, selected, edges, onTick }: KeyRowProps) {
  const { id, name, value, is_secret, description, updated_at, updated_by_name, due } = item
  return (
    <div className={classNames('flex', selected && 'bg-accent-soft', edges)}>
      <RowCheckbox name={name} checked={selected} onTick={onTick} />
      <Link
        href={`/keys/${id}`}
        className="flex min-h-11 min-w-0 flex-1 items-center gap-x-4 py-1 pr-4 -outline-offset-2 hover:bg-sunken/60"
      >
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2">
            <EntryName name={name} className="font-mono font-medium [overflow-wrap:anywhere]" />
            {due !== null && <Badge tone={due === 'expired' ? 'danger' : 'caution'}>{DUE_NAMES[due]}</Badge>}
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
