import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'

type ListboxOptionProps = {
  id: string
  active: boolean
  selected: boolean
  onPick: () => void
  children: ReactNode
}

/** One option of a list whose keys a field takes; the active one stays in view. */
export function ListboxOption({ id, active, selected, onPick, children }: ListboxOptionProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field that owns the list takes every key
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      // Keeping the press from moving the focus lets the click arrive before the list closes.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={classNames(
        'flex cursor-pointer gap-2 rounded-sm px-2 py-1.5',
        active ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      {children}
    </div>
  )
}

/** A line of the list that cannot be picked. */
export function ListboxRemark({ text }: { text: string }) {
  return (
    <div
      role="option"
      tabIndex={-1}
      aria-disabled
      aria-selected={false}
      className="px-2 py-1.5 text-sm text-ink-soft"
    >
      {text}
    </div>
  )
}
