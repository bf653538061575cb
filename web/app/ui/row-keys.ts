import type { KeyboardEvent } from 'react'

/** What the keys of a row do besides moving the focus. */
type RowActions = {
  onEdit?: () => void
  onTick?: (isRange: boolean) => void
  onMove?: (step: 1 | -1) => void
}

/** The keys of a row of a list whose only tab stop is its link: up and down go to the next row, left and right through
 * what is in the row, `e` edits, Space selects, and Alt with up or down moves the row. */
export function rowKeys(event: KeyboardEvent<HTMLElement>, { onEdit, onTick, onMove }: RowActions): void {
  const { target, currentTarget: row, key, altKey, shiftKey } = event
  if (!(target instanceof HTMLElement) || isField(target) || event.ctrlKey || event.metaKey) return
  const step = { ArrowDown: 1, ArrowUp: -1 }[key] as 1 | -1 | undefined
  const sideways = { ArrowRight: 1, ArrowLeft: -1 }[key]
  const act = () => {
    if (step !== undefined) return altKey ? onMove?.(step) : focusRow(row, step)
    if (sideways !== undefined) return focusBeside(row, target, sideways)
    if (key === 'e') return onEdit?.()
    return onTick?.(shiftKey)
  }
  const isTick = key === ' ' && target instanceof HTMLAnchorElement
  if (step === undefined && sideways === undefined && key !== 'e' && !isTick) return
  event.preventDefault()
  act()
}

function isField(element: HTMLElement): boolean {
  return element.matches('textarea, select, input:not([type="checkbox"])')
}

function focusRow(row: HTMLElement, step: number): void {
  const item = row.closest('li')
  const next = item?.parentElement?.querySelector(`[data-index="${Number(item.dataset['index']) + step}"] a`)
  if (next instanceof HTMLElement) next.focus()
}

function focusBeside(row: HTMLElement, from: HTMLElement, step: number): void {
  const stops = [...row.querySelectorAll<HTMLElement>('a, button:not([role]), input')]
  stops[stops.indexOf(from) + step]?.focus()
}
