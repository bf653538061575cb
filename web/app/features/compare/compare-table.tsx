import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { Bundle, ComparedCell, ComparedRow } from '../../lib/calls/answers.ts'
import { builtFrom } from '../../lib/rules/templates.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { ComposedMark, Mark } from './marks.tsx'

const ROW_HEIGHT_PX = 41
// Up to here every row is in the document, so that the browser's own search finds it.
const ALL_ROWS_UP_TO = 200

type CompareTableProps = {
  bundles: readonly Bundle[]
  rows: readonly ComparedRow[]
  onMissing: (missing: { row: ComparedRow; bundle: Bundle }) => void
}

/** The table of names and bundles, which scrolls both ways below its head; of a long one only the rows near the view
 * are in the document. */
export function CompareTable({ bundles, rows, onMissing }: CompareTableProps) {
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: rows.length <= ALL_ROWS_UP_TO ? rows.length : 12,
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
      className="max-h-[75dvh] overflow-auto rounded-lg border border-line bg-surface"
    >
      <table
        aria-rowcount={rows.length + 1}
        className="w-full border-separate border-spacing-0 text-sm [&_td]:border-t [&_td]:border-line [&_tbody_th]:border-t [&_tbody_th]:border-line"
      >
        <Head bundles={bundles} />
        <tbody>
          <Gap height={above} />
          {items.map(({ index, key }) => {
            const row = rows[index]
            if (row === undefined) return null
            return (
              <tr key={key} ref={virtualizer.measureElement} data-index={index} aria-rowindex={index + 2}>
                <th
                  scope="row"
                  className="sticky left-0 bg-surface px-3 py-2 text-left font-mono font-medium [overflow-wrap:anywhere]"
                >
                  <EntryName name={row.name} />
                </th>
                {bundles.map((bundle, column) => (
                  <td key={bundle.id} className="p-0 text-center">
                    <Cell
                      cell={row.cells[column]}
                      what={`${row.name} in ${bundle.name}`}
                      onMissing={() => onMissing({ row, bundle })}
                    />
                  </td>
                ))}
              </tr>
            )
          })}
          <Gap height={below} />
        </tbody>
      </table>
    </div>
  )
}

function Head({ bundles }: { bundles: readonly Bundle[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th
          scope="col"
          className="sticky top-0 left-0 z-2 min-w-36 bg-sunken px-3 py-2 text-left font-medium"
        >
          Name
        </th>
        {bundles.map(({ id, name }) => (
          <th key={id} scope="col" className="sticky top-0 z-1 min-w-24 bg-sunken px-2 py-2 font-medium">
            <Link href={`/bundles/${id}`} className="font-mono text-xs hover:underline">
              <EntryName name={name} />
            </Link>
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

type CellProps = { cell: ComparedCell | undefined; what: string; onMissing: () => void }

const CELL = 'flex min-h-10 w-full items-center justify-center -outline-offset-2 hover:bg-sunken'

function Cell({ cell, what, onMissing }: CellProps) {
  if (cell === undefined) return null
  if (cell.state === 'missing') {
    return (
      <button type="button" title={`Missing: ${what}`} onClick={onMissing} className={CELL}>
        <Mark state="missing" detail={what} />
      </button>
    )
  }
  if (cell.key_id === null) {
    return (
      <span className={CELL} title="Inline item">
        <Mark state={cell.state} detail="inline item" />
      </span>
    )
  }
  return (
    <Link
      href={`/keys/${cell.key_id}?bundle=${cell.bundle_id}`}
      title={`Key ${keyText(cell)}`}
      className={CELL}
    >
      <Mark state={cell.state} detail={`key ${keyText(cell)}`} />
      {cell.template_parts !== undefined && <ComposedMark />}
    </Link>
  )
}

function keyText({ key_name, template_parts }: ComparedCell): string {
  return template_parts === undefined ? (key_name ?? '') : `${key_name}, ${builtFrom(template_parts)}`
}
