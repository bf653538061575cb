import { useRef } from 'react'
import type { Use } from '../../lib/calls/answers.ts'
import { classNames } from '../../ui/class-names.ts'
import { TableRows, useDrawnRows } from '../../ui/drawn-rows.tsx'
import { useMatrixFocus } from '../../ui/matrix-focus.ts'
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
  const { measure, ...shown } = useDrawnRows({
    element: body,
    count: rows.length,
    rowPx: ROW_PX,
    overscan: OVERSCAN,
    allBelow: 0,
    keyOf: (index) => rowId(rows[index]),
  })
  const focus = useMatrixFocus(shown.drawn.map(({ index }) => index))
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
          <TableRows {...shown}>
            {(index) => {
              const row = rows[index]
              if (row === undefined) return null
              return (
                <tr
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
              )
            }}
          </TableRows>
        </tbody>
      </table>
    </div>
  )
}

const rowId = (row: HomeRow | undefined): string => `${row?.kind} ${row?.name}`
