import { type FocusEvent, type KeyboardEvent, useState } from 'react'

/** Where a cell of a matrix is; column 0 has the names of the rows. */
type CellPlace = { row: number; column: number }

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/** One tab stop for a whole matrix: arrows move the focus between its cells, Home and End along a row.
 * @param drawn the rows that are in the document
 * @returns `table`: props of the table · `cell`: props of the link or button that a cell consists of */
export function useMatrixFocus(drawn: readonly number[]) {
  const [at, setAt] = useState<CellPlace>({ row: 0, column: 0 })
  const stop = drawn.includes(at.row) ? at : { row: drawn[0], column: 0 }
  return {
    table: {
      onFocus: ({ target }: FocusEvent<HTMLElement>) => setAt(placeOf(target) ?? at),
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        const { target, currentTarget, key } = event
        const place = target instanceof HTMLElement ? placeOf(target) : null
        if (place === null || event.ctrlKey || event.metaKey || event.altKey) return
        const next = cellFrom(currentTarget, place, key)
        if (next === null) return
        event.preventDefault()
        next.focus()
      },
    },
    cell: (row: number, column: number) => ({
      'data-cell': `${row} ${column}`,
      tabIndex: row === stop.row && column === stop.column ? 0 : -1,
    }),
  }
}

function placeOf({ dataset }: HTMLElement): CellPlace | null {
  const [row, column] = (dataset['cell'] ?? '').split(' ').map(Number)
  return row === undefined || column === undefined ? null : { row, column }
}

function cellFrom(table: HTMLElement, { row, column }: CellPlace, key: string): HTMLElement | null {
  const cellsOf = (index: number) => [...table.querySelectorAll<HTMLElement>(`[data-cell^="${index} "]`)]
  if (key === 'Home') return cellsOf(row)[0] ?? null
  if (key === 'End') return cellsOf(row).at(-1) ?? null
  const [down, right] = STEPS[key] ?? [0, 0]
  if (right !== 0) return cellsOf(row)[column + right] ?? null
  // A row may have one cell for several columns.
  const beside = down === 0 ? [] : cellsOf(row + down)
  return beside[Math.min(column, beside.length - 1)] ?? null
}
