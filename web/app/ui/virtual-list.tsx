import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

type VirtualListProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  rowHeight: number
  render: (item: Item) => ReactNode
}

/** A list of any length that scrolls with the page; only the rows near the view are in the document. */
export function VirtualList<Item>({ label, items, keyOf, rowHeight, render }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0
    setScrollMargin(Math.round(top + window.scrollY))
  }, [])
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin,
    useFlushSync: false,
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative rounded-lg border border-line bg-surface"
      style={{ height: virtualizer.getTotalSize() + 2 }}
    >
      {virtualizer.getVirtualItems().map(({ index, start, key }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={keyOf(item) || String(key)}
            data-index={index}
            ref={virtualizer.measureElement}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0 border-line not-first:border-t"
            style={{ transform: `translateY(${start - scrollMargin}px)` }}
          >
            {render(item)}
          </li>
        )
      })}
    </ul>
  )
}
