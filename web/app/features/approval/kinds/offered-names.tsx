import type { NamesOffer } from '../../../lib/calls/answers.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { Quiet } from '../loaded.tsx'

/** The names that the terminal would list. */
export function OfferedNames({ names }: NamesOffer) {
  if (names.length === 0) return <Quiet>This bundle delivers no names.</Quiet>
  return (
    <VirtualList
      label="Names to list"
      items={names}
      keyOf={({ name }) => name}
      rowHeight={42}
      render={({ name, is_secret, required }) => (
        <p className="flex flex-wrap items-baseline gap-x-3 px-3 py-2.5">
          <span className="min-w-0 flex-1 font-mono text-sm font-medium break-all">{name}</span>
          <span className="text-xs text-ink-soft">
            {is_secret ? 'secret' : 'not secret'}
            {required && ', required'}
          </span>
        </p>
      )}
    />
  )
}
