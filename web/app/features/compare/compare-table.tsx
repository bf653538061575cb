import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { Bundle, ComparedCell, ComparedRow } from '../../lib/calls/answers.ts'
import type { useSelection } from '../../lib/page/selection.ts'
import { builtFrom } from '../../lib/rules/templates.ts'
import { classNames } from '../../ui/class-names.ts'
import { EntryLink, EntryName } from '../../ui/entry-name.tsx'
import { RowCheckbox } from '../../ui/selection/row-checkbox.tsx'
import { useOverscan } from '../../ui/use-overscan.ts'
import { stateOf } from './compared-row.ts'
import { ComposedMark, Mark } from './marks.tsx'

const OVERSCAN = 12

type CompareTableProps = {
  bundles: readonly Bundle[]
  rows: readonly ComparedRow[]
  /** The values that everyone may read. */
  readable: (bundleId: string, name: string) => string | undefined
  selection: Pick<ReturnType<typeof useSelection>, 'chosen' | 'tick'>
  onMissing: (missing: { name: string; bundle: Bundle }) => void
}

/** The table of names and bundles, which scrolls both ways below its head; of a long one only the rows near the view
 * are in the document. */
export function CompareTable({ rows, ...shown }: CompareTableProps) {
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => 41,
    overscan: useOverscan(rows.length, OVERSCAN),
    getItemKey: (index) => rows[index]?.name ?? index,
    useFlushSync: false,
  })
  const items = virtualizer.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be no scrolling box with a name
    <div
      ref={box}
      role="region"
      aria-label="Comparison"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the arrow keys
      tabIndex={0}
      className="max-h-[75dvh] overflow-auto rounded-lg border border-line bg-surface print:max-h-none print:overflow-visible"
    >
      <table
        aria-rowcount={rows.length + 1}
        className="w-full border-separate border-spacing-0 text-sm [&_td]:border-t [&_td]:border-line [&_tbody_th]:border-t [&_tbody_th]:border-line"
      >
        <Head bundles={shown.bundles} />
        <tbody>
          <Gap height={above} />
          {items.map(({ index, key }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <tr key={key} ref={virtualizer.measureElement} data-index={index} aria-rowindex={index + 2}>
                <Row row={row} {...shown} />
              </tr>
            )
          })}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  )
}

function Row({ row, ...table }: Omit<CompareTableProps, 'rows'> & { row: ComparedRow }) {
  const { bundles, readable, selection, onMissing } = table
  const { name, cells } = row
  const isChosen = selection.chosen.has(name)
  return (
    <>
      <th
        scope="row"
        className={classNames(
          'sticky left-0 py-0 pr-3 text-left font-mono font-medium [overflow-wrap:anywhere]',
          isChosen ? 'bg-accent-soft' : 'bg-surface',
        )}
      >
        <span className="flex items-center">
          {stateOf(row) === 'missing' ? (
            <RowCheckbox name={name} checked={isChosen} onTick={(isRange) => selection.tick(name, isRange)} />
          ) : (
            <span className="w-10 shrink-0" />
          )}
          <EntryName name={name} className="min-w-0" />
        </span>
      </th>
      {bundles.map((bundle, column) => (
        <td key={bundle.id} className="p-0">
          <Cell
            cell={cells[column]}
            what={`${name} in ${bundle.name}`}
            value={readable(bundle.id, name)}
            onMissing={bundle.may_edit ? () => onMissing({ name, bundle }) : undefined}
          />
        </td>
      ))}
    </>
  )
}

function Head({ bundles }: { bundles: readonly Bundle[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th
          scope="col"
          className="sticky top-0 left-0 z-2 min-w-36 bg-sunken py-2 pr-3 pl-10 text-left font-medium"
        >
          Name
        </th>
        {bundles.map(({ id, name }) => (
          <th
            key={id}
            scope="col"
            className="sticky top-0 z-1 min-w-24 bg-sunken px-3 py-2 text-left font-medium"
          >
            <EntryLink href={`/bundles/${id}`} name={name} className="font-mono text-xs hover:underline" />
          </th>
        ))}
      </tr>
    </thead>
  )
}

// The place of the rows that are not in the document.
function Gap({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden style={{ height }} />
}

type CellProps = {
  cell: ComparedCell | undefined
  what: string
  /** Undefined for a secret, and until it is known. */
  value: string | undefined
  /** Undefined where the person may not add it. */
  onMissing: (() => void) | undefined
}

const CELL = 'flex min-h-11 w-full items-center gap-2 px-3 -outline-offset-2 hover:bg-sunken'
// A value may be 64 KiB.
const MOST_SHOWN = 60

function Cell({ cell, what, value, onMissing }: CellProps) {
  if (cell === undefined) return null
  if (cell.state === 'missing') {
    const title = `Missing: ${what}`
    const content = (
      <>
        <Mark state="missing" />
        <span className="sr-only">{what}</span>
      </>
    )
    return onMissing === undefined ? (
      <span title={title} className={CELL}>
        {content}
      </span>
    ) : (
      <button type="button" title={title} onClick={onMissing} className={CELL}>
        {content}
      </button>
    )
  }
  const detail = cell.template_parts === undefined ? what : `${what}, ${builtFrom(cell.template_parts)}`
  const content = (
    <>
      <Mark state={cell.state} />
      {cell.template_parts !== undefined && <ComposedMark />}
      <span className="sr-only">{detail} </span>
      {value !== undefined && (
        <span className="max-w-60 truncate font-mono text-xs text-ink-soft">
          {value === '' ? '(empty)' : value.slice(0, MOST_SHOWN)}
        </span>
      )}
    </>
  )
  return cell.key_id === null ? (
    <span className={CELL} title="Inline item">
      {content}
    </span>
  ) : (
    <Link href={`/keys/${cell.key_id}?bundle=${cell.bundle_id}`} title={detail} className={CELL}>
      {content}
    </Link>
  )
}
