import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Use } from '../../lib/calls/answers.ts'
import { classNames } from '../../ui/class-names.ts'
import { useMatrixFocus } from '../../ui/matrix-focus.ts'
import { useOverscan } from '../../ui/use-overscan.ts'
import { useTopOf } from '../../ui/virtual-list.tsx'
import { BundleCell, MissingCell } from './cell.tsx'
import type { HomeRow, HomeTable } from './home-rows.ts'
import { MatrixHead, MatrixRow, PHONE_ROWS, WIDE_FROM } from './matrix-row.tsx'

const ROW_PX = 53
const OVERSCAN = 8

type HomeMatrixProps = {
  table: HomeTable
  /** By the bundle's id; undefined until it is known. */
  uses: ReadonlyMap<string, Use> | undefined
  onCreate: (bundleName: string) => void
}

/** Applications × environments: one tab stop, and only the rows near the view are in the document. */
export function HomeMatrix({ table: { environments, rows }, uses, onCreate }: HomeMatrixProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { drawn, above, below, measure } = useDrawnRows(body, rows)
  const focus = useMatrixFocus(drawn.map(({ index }) => index))
  const isWide = environments.length >= WIDE_FROM
  return (
    <div className={classNames('rounded-lg bg-surface shadow-hairline', isWide && 'sm:overflow-x-auto')}>
      <table
        {...focus.table}
        aria-label="Applications"
        aria-rowcount={rows.length + 1}
        className={classNames(
          'w-full border-separate border-spacing-0 max-sm:block',
          !isWide && 'sm:table-fixed',
        )}
      >
        <MatrixHead environments={environments} />
        <tbody ref={body} className="max-sm:block">
          <Gap px={above} />
          {drawn.map(({ index, key, row }) => (
            <tr
              key={key}
              ref={measure}
              data-index={index}
              aria-rowindex={index + 2}
              className={classNames('max-sm:grid', PHONE_ROWS[Math.min(environments.length, 3)])}
            >
              <MatrixRow
                row={row}
                environments={environments}
                isFirst={index === 0}
                focus={focus.cell(index, 0)}
              >
                {(name, bundle, column) => {
                  const cell = focus.cell(index, column)
                  if (bundle === null) return <MissingCell name={name} focus={cell} onCreate={onCreate} />
                  return <BundleCell bundle={bundle} uses={uses} focus={cell} />
                }}
              </MatrixRow>
            </tr>
          ))}
          <Gap px={below} />
        </tbody>
      </table>
    </div>
  )
}

function useDrawnRows(body: React.RefObject<HTMLTableSectionElement | null>, rows: readonly HomeRow[]) {
  const scrollMargin = useTopOf(body)
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: useOverscan(rows.length, OVERSCAN, 0),
    getItemKey: (index) => rowId(rows[index]),
    scrollMargin,
    useFlushSync: false,
  })
  const items = virtualizer.getVirtualItems()
  const start = (items[0]?.start ?? scrollMargin) - scrollMargin
  const end = (items.at(-1)?.end ?? scrollMargin) - scrollMargin
  return {
    drawn: items.flatMap(({ index, key }) => {
      const row = rows[index]
      return row === undefined ? [] : [{ index, key, row }]
    }),
    above: start,
    below: virtualizer.getTotalSize() - end,
    measure: virtualizer.measureElement,
  }
}

const rowId = (row: HomeRow | undefined): string => `${row?.kind} ${row?.name}`

/** The room of rows that are not in the document. */
function Gap({ px }: { px: number }) {
  if (px <= 0) return null
  return (
    <tr aria-hidden className="max-sm:block">
      <td style={{ height: px }} className="p-0 max-sm:block" />
    </tr>
  )
}
