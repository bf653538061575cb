import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useOverscan } from './use-overscan.ts'

type VirtualListProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** In pixels, of a row that has not been on the page yet. */
  rowHeight: number
  render: (item: Item, index: number) => ReactNode
  /** To be given the list's element; each row of it says its place in `data-index`. */
  listRef?: RefObject<HTMLUListElement | null>
}

const OVERSCAN = 8

/** How far down the page an element begins, also once something above it has come or gone. */
export function useTopOf(element: RefObject<HTMLElement | null>): number {
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

/** A list of any length that scrolls with the page; of a long one only the rows near the view are in the document. */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  rowHeight,
  render,
  listRef,
}: VirtualListProps<Item>) {
  const own = useRef<HTMLUListElement>(null)
  const list = listRef ?? own
  const scrollMargin = useTopOf(list)
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: useOverscan(items.length, OVERSCAN),
    // Heights are remembered by row, so that they go with it where rows change places.
    getItemKey: (index) => keyAt(items, index, keyOf),
    scrollMargin,
    useFlushSync: false,
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative rounded-lg border border-line bg-surface print:h-auto!"
      style={{ height: virtualizer.getTotalSize() + 2 }}
    >
      {virtualizer.getVirtualItems().map(({ index, start, key }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={key}
            data-index={index}
            ref={virtualizer.measureElement}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0 break-inside-avoid border-line not-first:border-t print:static print:transform-none!"
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            {render(item, index)}
          </li>
        )
      })}
    </ul>
  )
}

function keyAt<Item>(items: readonly Item[], index: number, keyOf: (item: Item) => string): string {
  const item = items[index]
  return item === undefined ? String(index) : keyOf(item)
}
