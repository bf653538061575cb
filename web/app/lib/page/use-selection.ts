import { LIMITS } from '@keyferry/contract/limits'
import { useMemo, useState } from 'react'
import { NOTHING, ticked, tickedAll } from './selection.ts'

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
