import type { ComparedCell } from '../../../lib/calls/answers.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Braces, Equal, Hourglass, Plus, Users } from '../../../ui/icons.ts'
import type { EnvironmentColumn } from '../environment/environments.ts'
import { type MatrixRow, sameAs } from '../matrix-rows.ts'
import { type CellMark, lacksMark, marksOf } from './cell-marks.ts'

/** A cell of the table. */
export type CellParts = {
  row: MatrixRow
  cell: ComparedCell
  bundle: EnvironmentColumn
  column: number
  environments: readonly EnvironmentColumn[]
}

type CellViewProps = CellParts & {
  isStop: boolean
  /** Undefined where the person may not change the value. */
  onEdit: (() => void) | undefined
  onOpen: () => void
}

/** What an environment delivers, and what somebody should look at there. */
export function CellView({ isStop, onEdit, onOpen, ...parts }: CellViewProps) {
  const { row, cell, bundle, column } = parts
  const { facts } = cell
  const isSame = sameEnvironment(parts) !== null
  const marks = facts === undefined ? [] : isSame ? lacksMark(facts) : marksOf(facts)
  const said = [wordsOf(parts), ...marks.map(({ title }) => title)].join(', ')
  return (
    <button
      type="button"
      data-at={`${column + 1} ${row.name}`}
      tabIndex={isStop ? 0 : -1}
      title={onEdit && `${cell.state === 'missing' ? 'Add' : 'Change'} ${row.name} in ${bundle.name}`}
      onClick={onEdit ?? onOpen}
      className="group/cell flex min-h-10 w-full items-center gap-2 text-left -outline-offset-2 hover:bg-sunken max-sm:min-h-7 sm:px-4"
    >
      <span className="sr-only">
        {row.name} in {bundle.label}: {said}
      </span>
      <span aria-hidden className="flex min-w-0 flex-1 items-center gap-1.5">
        <Shown {...parts} />
      </span>
      <span aria-hidden className="flex shrink-0 gap-1.5">
        {marks.map((mark) => (
          <Mark key={mark.kind} mark={mark} />
        ))}
      </span>
    </button>
  )
}

/** The environment before this one that delivers the same key; null for none. */
export function sameEnvironment({
  row,
  column,
  environments,
}: Omit<CellParts, 'cell' | 'bundle'>): string | null {
  const same = sameAs(row.cells, column)
  const bundle = same === null ? undefined : environments[same]
  return bundle === undefined ? null : bundle.label
}

// A value may be 4 KiB.
const MOST_SHOWN = 60

function Shown(parts: CellParts) {
  const { cell } = parts
  const { facts } = cell
  const same = sameEnvironment(parts)
  if (cell.state === 'missing') {
    return (
      <span className="inline-flex items-center gap-1 text-ink-soft">
        <Plus size={14} /> missing
      </span>
    )
  }
  if (same !== null) {
    return (
      <span className="inline-flex items-center gap-1.5 text-ink-faint">
        <Equal size={14} /> {same}
      </span>
    )
  }
  if (facts === undefined) return <span className="text-ink-faint">old item</span>
  return (
    <>
      {cell.template_parts !== undefined && <Braces size={13} className="shrink-0 text-ink-faint" />}
      {facts.is_secret ? (
        <span className="font-mono tracking-tighter text-ink-soft">●●●●●●●●</span>
      ) : (
        <span className="truncate font-mono text-ink-soft">{readable(facts.value)}</span>
      )}
    </>
  )
}

function wordsOf(parts: CellParts): string {
  const { cell } = parts
  const same = sameEnvironment(parts)
  if (cell.state === 'missing') return 'missing'
  const composed = cell.template_parts === undefined ? '' : ', composed'
  if (same !== null) return `the same as ${same}${composed}`
  if (cell.facts === undefined) return 'an old item'
  const { is_secret, value } = cell.facts
  return `${is_secret ? 'secret' : readable(value)}${composed}`
}

function readable(value: string | null): string {
  if (value === null) return 'long value'
  return value === '' ? '(empty)' : value.slice(0, MOST_SHOWN)
}

const TONES = {
  plain: 'text-ink-faint',
  caution: 'rounded-sm bg-caution-soft px-1.5 py-0.5 text-caution',
  danger: 'rounded-sm bg-danger-soft px-1.5 py-0.5 text-danger',
} as const
const ICONS = { lacks: null, older: Users, due: Hourglass, age: null } as const

function Mark({ mark: { kind, tone, text, title } }: { mark: CellMark }) {
  const Icon = ICONS[kind]
  return (
    <span
      title={title}
      className={classNames('inline-flex items-center gap-1 whitespace-nowrap', TONES[tone])}
    >
      {Icon !== null && <Icon size={13} />}
      {text}
    </span>
  )
}
