import { type ReactNode, useRef } from 'react'
import { useDrawnRows } from './drawn-rows.tsx'

type VirtualListProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** In pixels, of a row that has not been on the page yet. */
  rowHeight: number
  render: (item: Item, index: number) => ReactNode
}

/** A list of any length that scrolls with the page; of a long one only the rows near the view are in the document. */
export function VirtualList<Item>({ label, items, keyOf, rowHeight, render }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const { drawn, top, height, measure } = useDrawnRows({
    element: list,
    count: items.length,
    rowPx: rowHeight,
    overscan: 8,
    keyOf: (index) => keyAt(items, index, keyOf),
  })
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative rounded-lg border border-line bg-surface print:h-auto!"
      style={{ height: height + 2 }}
    >
      {drawn.map(({ index, start, key }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={key}
            data-index={index}
            ref={measure}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0 break-inside-avoid border-line not-first:border-t print:static print:transform-none!"
            style={{ transform: `translateY(${start - top}px)` }}
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
