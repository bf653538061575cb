import { defaultRangeExtractor, measureElement, useWindowVirtualizer } from '@tanstack/react-virtual'
import { Fragment, type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

type DrawnRowsParts = {
  /** What the rows are in. */
  element: RefObject<HTMLElement | null>
  count: number
  /** The height of a row that has not been on the page yet. */
  rowPx: number
  /** So many rows are in the document before and after those in view. */
  overscan: number
  /** A shorter list is in the document whole, so that the browser's own search finds each row. */
  allBelow?: number
  /** Heights are remembered by it, so that they go with a row that changes places. */
  keyOf: (index: number) => string
  /** Rows that stay in the document. */
  kept?: readonly number[]
}

/** The rows of a list or table of any length that are in the document: those near the view, all while the page is
 * printed, and those that are kept. The list scrolls with the page. */
export function useDrawnRows(parts: DrawnRowsParts) {
  const { element, count, rowPx, overscan, allBelow = 300, keyOf, kept = [] } = parts
  const isPrinting = usePrinting()
  const top = useTopOf(element)
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: isPrinting || count < allBelow ? count : overscan,
    getItemKey: keyOf,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), ...kept])].toSorted((a, b) => a - b),
    scrollMargin: top,
    // The browser tells the heights once it has laid out the page. To ask for them before that costs a layout.
    measureElement: (row, entry, list) =>
      entry === undefined
        ? (list.measurementsCache[list.indexFromElement(row)]?.size ?? rowPx)
        : measureElement(row, entry, list),
    useFlushSync: false,
  })
  return {
    drawn: virtualizer.getVirtualItems(),
    top,
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    show: (index: number) => virtualizer.scrollToIndex(index),
  }
}

type TableRowsProps = Pick<ReturnType<typeof useDrawnRows>, 'drawn' | 'top' | 'height'> & {
  children: (index: number) => ReactNode
}

/** The rows of a table that are in the document, and empty ones in the place of the others. */
export function TableRows({ drawn, top, height, children }: TableRowsProps) {
  return (
    <>
      {drawn.map(({ index, key, start }, at) => (
        <Fragment key={String(key)}>
          <Gap height={start - (drawn[at - 1]?.end ?? top)} />
          {children(index)}
        </Fragment>
      ))}
      <Gap height={top + height - (drawn.at(-1)?.end ?? top)} />
    </>
  )
}

function Gap({ height }: { height: number }) {
  return height <= 1 ? null : <tr aria-hidden style={{ height }} className="max-sm:block" />
}

/** How far down the page an element begins, also once something above it has come or gone. */
function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const seen = element.current?.getBoundingClientRect().top ?? 0
      setTop(Math.round(seen + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return top
}

function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true))
    const after = () => setPrinting(false)
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting
}
