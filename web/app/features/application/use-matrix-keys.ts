import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { isTyping } from '../../ui/search-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import type { EnvironmentColumn } from './environment/environments.ts'
import type { MatrixRow } from './matrix-rows.ts'
import type { CellChanges } from './use-cell-changes.tsx'

/** Where the table's one tab stop is; column 0 has the names. */
export type Place = { name: string; column: number }

type MatrixKeysParts = {
  table: RefObject<HTMLTableElement | null>
  rows: readonly MatrixRow[]
  columns: number
  environments: readonly EnvironmentColumn[]
  added: string | null
  changes: CellChanges
  /** Brings a row into the document. */
  show: (name: string) => void
  acts: { toggle: (name: string) => void; onAdd: () => void; tick: (name: string, isRange: boolean) => void }
}

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [10, 0],
  PageUp: [-10, 0],
}

/** The keys of the table: arrows move the focus and with Shift select, Space opens a row, `x` selects it, `c` copies
 * the name, `n` adds a variable, `=` takes the key of another environment, Delete takes a variable out of one. Enter
 * presses the button that has the focus. */
export function useMatrixKeys(parts: MatrixKeysParts) {
  const { rows, columns, acts, changes, environments, added } = parts
  const [at, setAt] = useState<Place>({ name: '', column: 0 })
  const place = rows.some(({ name }) => name === at.name) ? at : { name: rows[0]?.name ?? '', column: 0 }
  const focus = useFocus(parts)
  const go = (next: Place) => {
    setAt(next)
    focus(next)
  }
  useEffect(() => {
    // The dialog gives the focus back first.
    if (added !== null) requestAnimationFrame(() => focus({ name: added, column: 0 }))
  }, [added, focus])
  const move = ([down, right]: readonly [number, number], isSelecting: boolean) => {
    const from = rows.findIndex(({ name }) => name === place.name)
    const to = Math.min(rows.length - 1, Math.max(0, from + down))
    const name = rows[to]?.name ?? place.name
    if (isSelecting && down !== 0) acts.tick(name, true)
    go({ name, column: Math.min(columns, Math.max(0, place.column + right)) })
  }
  const act = (key: string): boolean => {
    const row = rows.find(({ name }) => name === place.name)
    const bundle = environments[place.column - 1]
    const cell = row?.cells[place.column - 1]
    if (key === ' ') acts.toggle(place.name)
    else if (key === 'x') acts.tick(place.name, false)
    else if (key === 'n') acts.onAdd()
    else if (key === 'c') void copyName(place.name)
    else if (key === '=' && row && bundle) changes.share(bundle, row, environments)
    else if (key === 'Delete' && row && bundle && cell) changes.ask({ bundle, name: row.name, cell })
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isOnCell = target instanceof HTMLElement && target.dataset['at'] !== undefined
    if (!isOnCell || isTyping(target) || ctrlKey || metaKey || altKey) return
    const step = STEPS[key]
    if (step !== undefined) move(step, event.shiftKey)
    else if (!act(key)) return
    event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    const [column, name] = target.dataset['at']?.split(' ') ?? []
    if (name !== undefined) setAt({ name, column: Number(column) })
  }
  return { place, go, onKeyDown, onKeyUp, onFocus }
}

/** Moves the focus to a place, once its row is in the document. */
function useFocus({ table, show }: Pick<MatrixKeysParts, 'table' | 'show'>) {
  const shown = useRef(show)
  shown.current = show
  const [focus] = useState(() => (to: Place) => {
    const find = () => table.current?.querySelector<HTMLElement>(`[data-at="${to.column} ${to.name}"]`)
    const found = find()
    if (found) return take(found)
    shown.current(to.name)
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const drawn = find()
        if (drawn) take(drawn)
      }),
    )
  })
  return focus
}

function take(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

async function copyName(name: string): Promise<void> {
  await navigator.clipboard.writeText(name)
  notify({ text: `Copied ${name}.` })
}

// Space opens the row; it must not press the button as well.
function onKeyUp(event: KeyboardEvent<HTMLElement>): void {
  const { target, key } = event
  if (key === ' ' && target instanceof HTMLElement && target.dataset['at'] !== undefined)
    event.preventDefault()
}
