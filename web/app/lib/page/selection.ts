import { LIMITS } from '@keyferry/contract/limits'
import { useMemo, useState } from 'react'

/** Ticked rows of a list, by id. `anchor`: the row from which a range begins. */
export type Selection = { chosen: ReadonlySet<string>; anchor: string | null }

export const NOTHING: Selection = { chosen: new Set(), anchor: null }

type Tick = {
  id: string
  /** All rows from the anchor to this one take its new state. */
  isRange: boolean
  /** The rows as they are shown. */
  shown: readonly string[]
  most: number
}

/** The selection after a row was ticked or unticked; at most `most` rows are chosen. */
export function ticked({ chosen, anchor }: Selection, { id, isRange, shown, most }: Tick): Selection {
  const from = anchor === null ? -1 : shown.indexOf(anchor)
  const to = shown.indexOf(id)
  const range = isRange && from !== -1 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]
  return { chosen: chosen.has(id) ? without(chosen, range) : upTo(most, [...chosen, ...range]), anchor: id }
}

/** The selection with all shown rows, or without them if all are chosen already. */
export function tickedAll(
  { chosen }: Selection,
  { shown, most }: { shown: readonly string[]; most: number },
): Selection {
  const isWhole = stateOf(chosen, shown) === 'all' || chosen.size >= most
  return { chosen: isWhole ? without(chosen, shown) : upTo(most, [...chosen, ...shown]), anchor: null }
}

/** How many of the shown rows are chosen. */
export function stateOf(chosen: ReadonlySet<string>, shown: readonly string[]): 'none' | 'some' | 'all' {
  const count = shown.filter((id) => chosen.has(id)).length
  if (count === 0) return 'none'
  return count === shown.length ? 'all' : 'some'
}

function without(chosen: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const gone = new Set(ids)
  return new Set([...chosen].filter((id) => !gone.has(id)))
}

function upTo(most: number, ids: readonly string[]): ReadonlySet<string> {
  return new Set([...new Set(ids)].slice(0, most))
}

/** Rows that a person selects. A row that leaves the list (deleted by another person, for example) leaves the
 * selection; a row that a filter hides stays selected.
 * @param all ids of all rows
 * @param shown ids of the rows that the filters leave, in their order */
export function useSelection(all: readonly string[], shown: readonly string[]) {
  const [selection, setSelection] = useState(NOTHING)
  const chosen = useMemo(() => new Set(all.filter((id) => selection.chosen.has(id))), [all, selection])
  const now = { ...selection, chosen }
  const most = LIMITS.batchKeys
  return {
    chosen,
    tick: (id: string, isRange: boolean) => setSelection(ticked(now, { id, isRange, shown, most })),
    tickAll: () => setSelection(tickedAll(now, { shown, most })),
    clear: () => setSelection(NOTHING),
  }
}
