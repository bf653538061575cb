import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'
import { DUE_NAMES } from '../../lib/words/due.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { KeyValue } from '../../ui/key-value.tsx'
import { LastChange } from '../../ui/last-change.tsx'
import { RowCheckbox } from '../../ui/selection/row-checkbox.tsx'

type KeyRowProps = {
  item: Key
  /** How many hold an older value. */
  stale: number
  selected: boolean
  /** Classes that round the corners of the first and the last row. */
  edges: string
  onTick: (isRange: boolean) => void
}

/** One key of the library's list. */
export function KeyRow({ item, stale, selected, edges, onTick }: KeyRowProps) {
  return (
    <div className={classNames('flex', selected && 'bg-accent-soft', edges)}>
      <RowCheckbox name={item.name} checked={selected} onTick={onTick} />
      <KeyLink item={item} stale={stale} />
    </div>
  )
}

function KeyLink({ item, stale }: Pick<KeyRowProps, 'item' | 'stale'>) {
  const { id, name, value, is_secret, description, used_in_bundles, updated_at, updated_by_name, due } = item
  return (
    <Link
      href={`/keys/${id}`}
      className="flex min-h-12 min-w-0 flex-1 items-center gap-x-4 py-1.5 pr-4 -outline-offset-2 hover:bg-sunken/60"
    >
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2">
          <EntryName name={name} className="font-mono text-sm font-medium [overflow-wrap:anywhere]" />
          <DueBadge due={due} />
          {stale > 0 && <Badge>{stale} stale</Badge>}
        </span>
        {description !== '' && <span className="line-clamp-1 text-xs text-ink-soft">{description}</span>}
      </span>
      <span className="hidden min-w-0 sm:flex">
        <KeyValue value={value} isSecret={is_secret} className="max-w-64" />
      </span>
      <span className="w-20 shrink-0 text-right text-xs text-ink-faint sm:w-44">
        <span className="block">{usage(used_in_bundles)}</span>
        <span className="hidden truncate sm:block">
          <LastChange at={updated_at} by={updated_by_name} />
        </span>
      </span>
    </Link>
  )
}

function usage(count: number): string {
  if (count === 0) return 'unused'
  return counted(count, 'bundle')
}

/** Says why a value should be replaced; nothing where it should not. */
function DueBadge({ due }: { due: Key['due'] }) {
  if (due === null) return null
  return <Badge tone={due === 'expired' ? 'danger' : 'caution'}>{DUE_NAMES[due]}</Badge>
}
