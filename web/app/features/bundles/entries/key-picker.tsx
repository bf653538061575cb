import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Key } from '../../../lib/calls/answers.ts'
import { KeyValue } from '../../../ui/key-value.tsx'

const ROW_HEIGHT_PX = 41

type KeyPickerProps = {
  keys: readonly Key[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** A scrolling list of keys to tick, of any length. */
export function KeyPicker({ keys, chosen, onChoose }: KeyPickerProps) {
  const box = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: keys.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 6,
    useFlushSync: false,
  })
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <div ref={box} className="mt-3 h-72 overflow-auto rounded-md border border-line">
      {keys.length === 0 && (
        <p className="p-4 text-sm text-ink-soft">No keys to attach. Create a new one below.</p>
      )}
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const key = keys[index]
          if (key === undefined) return null
          return (
            <li
              key={key.id}
              className="absolute inset-x-0 top-0 border-line not-first:border-t"
              style={{ transform: `translateY(${start}px)`, height: size }}
            >
              <label className="flex h-full items-center gap-3 px-3 hover:bg-sunken/60">
                <input
                  type="checkbox"
                  className="checkbox"
                  checked={chosen.has(key.id)}
                  onChange={() => toggle(key.id)}
                />
                <span className="min-w-0 flex-1 truncate font-mono text-sm">{key.name}</span>
                <KeyValue value={key.value} isSecret={key.is_secret} className="max-w-40" />
              </label>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
