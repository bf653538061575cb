import { useMemo, useRef, useState } from 'react'
import { useAnswer } from '../../lib/calls/use-call.ts'
import type { useSelection } from '../../lib/page/selection.ts'
import { runCommand } from '../../lib/words/client-command.ts'
import { ago, shortAge } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TableRows, useDrawnRows } from '../../ui/drawn-rows.tsx'
import { EnvironmentChip } from './environment/environment-chip.tsx'
import { EnvironmentMenu } from './environment/environment-menu.tsx'
import type { EnvironmentColumn } from './environment/environments.ts'
import type { MatrixRow } from './matrix-rows.ts'
import { useCellChanges } from './use-cell-changes.tsx'
import { useMatrixKeys } from './use-matrix-keys.ts'
import { VariableRow } from './variable-row.tsx'

const OVERSCAN = 12
const ROW_PX = 41
/** Columns that fit beside the names; with more, the table scrolls sideways. */
const MOST_STICKY = 3

type MatrixProps = {
  current: { id: string }
  environments: readonly EnvironmentColumn[]
  rows: readonly MatrixRow[]
  /** Those that need a look apart from the others. */
  isGrouped: boolean
  selection: ReturnType<typeof useSelection>
  /** The variable that was just added. */
  added: string | null
  onAdd: () => void
}

/** Variables × environments. One tab stop, as in a spreadsheet: arrows move, Enter edits, Space opens a row. Of a long
 * table only the rows near the view are in the document, and those that are being edited. */
export function Matrix({ current, environments, rows, isGrouped, selection, added, onAdd }: MatrixProps) {
  const table = useRef<HTMLTableElement>(null)
  const items = useMemo(() => (isGrouped ? grouped(rows) : rows.map(rowItem)), [rows, isGrouped])
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [edited, setEdited] = useState<ReadonlySet<string>>(new Set())
  const kept = useMemo(() => {
    const names = new Set([...edited].map((cell) => cell.split(' ')[0]))
    return [...items.keys()].filter((index) => names.has(items[index]?.key))
  }, [items, edited])
  const { measure, show, ...shown } = useDrawnRows({
    element: table,
    count: items.length,
    rowPx: ROW_PX,
    overscan: OVERSCAN,
    keyOf: (index) => items[index]?.key ?? String(index),
    kept,
  })
  const changes = useCellChanges()
  const toggle = (name: string) => setOpen(open.symmetricDifference(new Set([name])))
  const edit = (opened: string | null, closed?: string) =>
    setEdited((before) => new Set([...before, opened ?? ''].filter((cell) => cell !== '' && cell !== closed)))
  const keys = useMatrixKeys({
    table,
    rows,
    columns: environments.length,
    added,
    show: (name) => show(items.findIndex(({ key }) => key === name)),
    acts: { toggle, onAdd, tick: selection.tick },
    changes,
    environments,
  })
  const isWide = environments.length > MOST_STICKY
  const shared = { current, environments, selection, changes, keys, added, edited, edit, toggle }
  return (
    <div
      className={classNames(
        'rounded-lg border border-line bg-surface',
        isWide ? 'overflow-clip sm:overflow-x-auto' : 'overflow-clip',
        rows.length === 0 && 'max-sm:hidden',
      )}
    >
      <table
        ref={table}
        aria-label="Variables"
        aria-rowcount={rows.length + 1}
        onKeyDown={keys.onKeyDown}
        onKeyUp={keys.onKeyUp}
        onFocus={keys.onFocus}
        className="w-full border-separate border-spacing-0 text-xs max-sm:block sm:table-fixed"
      >
        <colgroup>
          <col className={isWide ? 'sm:w-64' : 'sm:w-[26%]'} />
          {isWide && environments.map(({ id }) => <col key={id} className="sm:w-56" />)}
        </colgroup>
        <MatrixHead environments={environments} />
        <tbody className="max-sm:block">
          <TableRows {...shown}>
            {(index) => {
              const item = items[index]
              const placed = { index, measure }
              if (item === undefined) return null
              if ('title' in item) {
                const { key: _, ...facts } = item
                return <GroupRow {...facts} {...placed} columns={environments.length + 1} />
              }
              return <VariableRow {...shared} {...placed} row={item.row} isOpen={open.has(item.key)} />
            }}
          </TableRows>
        </tbody>
      </table>
      {changes.dialog}
    </div>
  )
}

function MatrixHead({ environments }: Pick<MatrixProps, 'environments'>) {
  const last = environments.length - 1
  const sticks = last < MOST_STICKY ? 'sm:sticky sm:top-14 sm:z-10 print:static' : undefined
  return (
    <thead className="max-sm:hidden">
      <tr>
        <th
          scope="col"
          className={classNames(
            'h-13 min-w-56 rounded-tl-lg bg-surface px-4 pl-6 text-left font-normal text-ink-soft',
            sticks ?? 'sm:sticky sm:left-0 sm:z-10',
          )}
        >
          Variable
        </th>
        {environments.map((bundle, column) => (
          <ColumnHead key={bundle.id} bundle={bundle} sticks={sticks} isLast={column === last} />
        ))}
      </tr>
    </thead>
  )
}

type GroupRowProps = {
  title: string
  count: number
  columns: number
  index: number
  measure: (element: Element | null) => void
}

function GroupRow({ title, count, columns, index, measure }: GroupRowProps) {
  return (
    <tr ref={measure} data-index={index} className="max-sm:block">
      <th
        scope="rowgroup"
        colSpan={columns}
        className="h-9 border-t border-line bg-canvas/60 px-4 text-left font-medium text-ink-soft max-sm:block max-sm:py-2 sm:px-6"
      >
        {title} <span className="font-normal text-ink-faint">{count}</span>
      </th>
    </tr>
  )
}

type MatrixItem = { key: string; row: MatrixRow } | { key: string; title: string; count: number }

const rowItem = (row: MatrixRow): MatrixItem => ({ key: row.name, row })

function grouped(rows: readonly MatrixRow[]): MatrixItem[] {
  const first = rows.filter(({ needsLook }) => needsLook)
  const rest = rows.filter(({ needsLook }) => !needsLook)
  if (first.length === 0) return rows.map(rowItem)
  return [...group('Needs a look', first), ...group('Everything else', rest)]
}

function group(title: string, rows: readonly MatrixRow[]): MatrixItem[] {
  return rows.length === 0 ? [] : [{ key: `# ${title}`, title, count: rows.length }, ...rows.map(rowItem)]
}

type ColumnHeadProps = { bundle: EnvironmentColumn; sticks: string | undefined; isLast: boolean }

/** One environment: its run command, how many variables it has, when values were fetched last, and its menu. */
function ColumnHead({ bundle, sticks, isLast }: ColumnHeadProps) {
  const use = useAnswer('listUse', { days: 30 }).data?.find(({ id }) => id === bundle.id)
  return (
    <th
      scope="col"
      className={classNames(
        'min-w-48 bg-surface px-4 text-left font-normal',
        sticks,
        isLast && 'rounded-tr-lg',
      )}
    >
      <div className="flex items-center gap-1">
        <EnvironmentChip bundle={bundle} />
        <CopyButton text={runCommand(bundle.name)} what={`the command for ${bundle.name}`} />
        <span className="ml-auto truncate text-ink-faint">
          <span className="sr-only">Variables: </span>
          {bundle.key_count}
          {use !== undefined && (
            <time dateTime={use.last_at} title={`Last fetched ${ago(use.last_at)}`}>
              {' '}
              · {shortAge(use.last_at)}
            </time>
          )}
        </span>
        <EnvironmentMenu bundle={bundle} />
      </div>
    </th>
  )
}
