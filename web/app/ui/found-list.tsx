import type { ComponentProps, ReactNode } from 'react'
import { counted } from '../lib/words/counted.ts'
import { VirtualList } from './virtual-list.tsx'

type FoundListProps<Item> = ComponentProps<typeof VirtualList<Item>> & {
  /** What the list contains, as in `No key matches`. */
  noun: string
  /** How many things are found; a heading among the rows is none. */
  count?: number
  /** What to change if nothing is found. */
  narrowedBy: string
  children?: ReactNode
}

/** What a search or a filter leaves of a list, below what belongs above its rows. */
export function FoundList<Item>({ noun, count, narrowedBy, children, ...list }: FoundListProps<Item>) {
  return (
    <>
      <p className="sr-only" role="status">
        {counted(count ?? list.items.length, noun)}
      </p>
      {list.items.length === 0 ? (
        <p className="py-6 text-ink-soft">
          No {noun} matches. Change {narrowedBy}.
        </p>
      ) : (
        <>
          {children}
          <VirtualList {...list} />
        </>
      )}
    </>
  )
}
