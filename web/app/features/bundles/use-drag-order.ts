import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

type Drag = { id: string; to: number }

/** Order by dragging: while a row is dragged, `order` is what it would become; letting go calls `onMove` once.
 * Rows are the list's children, in the order shown, each with its id in `data-id`. */
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
        setDrag({ ...now, to: positionAt(list.current, now.id, event.clientY) })
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

function positionAt(list: HTMLElement, id: string, clientY: number): number {
  const others = [...list.children].filter((row) => row instanceof HTMLElement && row.dataset['id'] !== id)
  return others.filter((row) => {
    const { top, height } = row.getBoundingClientRect()
    return top + height / 2 < clientY
  }).length
}
