import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

type Drag = { id: string; to: number }

/** Order by dragging: while a row is dragged, `order` is what it would become; letting go calls `onMove` once.
 * Rows are the list's children, each with its place in `data-index`. */
export function useDragOrder(
  ids: readonly string[],
  list: RefObject<HTMLElement | null>,
  onMove: (id: string, to: number) => void,
) {
  const [drag, setDrag] = useState<Drag | null>(null)
  const latest = useRef({ drag, ids, onMove })
  latest.current = { drag, ids, onMove }
  const dragging = drag !== null
  useEffect(() => {
    if (!dragging) return undefined
    const onPointerMove = (event: PointerEvent) => {
      const { drag: now } = latest.current
      if (now !== null && list.current !== null)
        setDrag({ ...now, to: positionAt(list.current, now.to, event.clientY) })
    }
    const onEnd = (event: PointerEvent) => {
      const { drag: now, ids: before, onMove: move } = latest.current
      setDrag(null)
      if (now !== null && event.type === 'pointerup' && before.indexOf(now.id) !== now.to)
        move(now.id, now.to)
    }
    const listening = new AbortController()
    addEventListener('pointermove', onPointerMove, { signal: listening.signal })
    addEventListener('pointerup', onEnd, { signal: listening.signal })
    addEventListener('pointercancel', onEnd, { signal: listening.signal })
    return () => listening.abort()
  }, [dragging, list])
  const start = (id: string, event: ReactPointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    setDrag({ id, to: ids.indexOf(id) })
  }
  return { draggedId: drag?.id ?? null, order: drag === null ? ids : withMoved(ids, drag), start }
}

function withMoved(ids: readonly string[], { id, to }: Drag): string[] {
  const rest = ids.filter((other) => other !== id)
  return [...rest.slice(0, to), id, ...rest.slice(to)]
}

type RowPosition = { index: number; middle: number }

/** The new position of the row at `from` when it is dropped at `clientY`. A long list renders only the rows around the
 * view, each with its position in the full list. */
function positionAt(list: HTMLElement, from: number, clientY: number): number {
  const rows = [...list.children].flatMap((row): RowPosition[] => {
    if (!(row instanceof HTMLElement)) return []
    const { top, height } = row.getBoundingClientRect()
    return [{ index: Number(row.dataset['index']), middle: top + height / 2 }]
  })
  const others = rows.filter(({ index }) => index !== from).toSorted((a, b) => a.index - b.index)
  const placeAmongOthers = ({ index }: RowPosition) => (index > from ? index - 1 : index)
  const below = others.find(({ middle }) => middle >= clientY)
  if (below !== undefined) return placeAmongOthers(below)
  const last = others.at(-1)
  return last === undefined ? from : placeAmongOthers(last) + 1
}
