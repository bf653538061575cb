import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import type { IconComponent } from './icon.tsx'
import { Ellipsis } from './icons.ts'

/** `gap`: a line above it. */
export type MenuItem = { label: string; icon?: IconComponent; gap?: boolean; onPick: () => void }

const GAP_PX = 4

/** A button with three dots, and the list of actions that it opens. Escape and a press outside close the list. */
export function Menu({
  label,
  items,
  tabIndex,
}: {
  label: string
  items: readonly MenuItem[]
  tabIndex?: number
}) {
  const id = useId()
  const button = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || list.current === null) return
    place(list.current, button.current)
    focusAt(list.current, 0)
  }, [isOpen])
  const pick = (item: MenuItem) => {
    list.current?.hidePopover()
    item.onPick()
  }
  return (
    <span ref={button} className="inline-flex">
      <IconButton label={label} icon={Ellipsis} popoverTarget={id} aria-haspopup="menu" tabIndex={tabIndex} />
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        onToggle={({ newState }) => setOpen(newState === 'open')}
        onKeyDown={moveFocus}
        className="fixed m-0 max-h-[80dvh] min-w-48 overflow-auto rounded-md bg-raised p-1 text-sm text-ink shadow-floating"
      >
        {isOpen &&
          items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => pick(item)}
              className={`flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2.5 text-left -outline-offset-2 hover:bg-sunken ${item.gap ? 'mt-1 border-t border-line' : ''}`}
            >
              {item.icon !== undefined && <item.icon aria-hidden size={15} className="text-ink-soft" />}
              {item.label}
            </button>
          ))}
      </div>
    </span>
  )
}

/** Below the button, or above it where there is no room. */
function place(list: HTMLElement, button: HTMLElement | null): void {
  const at = button?.getBoundingClientRect()
  if (at === undefined) return
  const { width, height } = list.getBoundingClientRect()
  const below = at.bottom + GAP_PX
  const fits = below + height <= innerHeight
  list.style.top = `${fits ? below : Math.max(GAP_PX, at.top - height - GAP_PX)}px`
  list.style.left = `${Math.max(GAP_PX, at.right - width)}px`
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.children]
  const at = items.indexOf(document.activeElement ?? event.currentTarget)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
  event.stopPropagation()
  if (to === undefined) return
  event.preventDefault()
  focusAt(event.currentTarget, (to + items.length) % items.length)
}

function focusAt(list: HTMLElement, index: number): void {
  const item = list.children[index]
  if (item instanceof HTMLElement) item.focus()
}
