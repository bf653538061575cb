import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import type { IconComponent } from './icon.tsx'
import { Ellipsis } from './icons.ts'

/** `gap`: a line above it. `hint`: what follows from it. `isChosen`: one of several choices, and whether it is the
 * chosen one. `onPoint`: the focus or the pointer is on it. */
export type MenuItem = {
  label: string
  icon?: IconComponent
  gap?: boolean
  hint?: string
  isChosen?: boolean
  onPoint?: () => void
  onPick: () => void
}

type MenuProps = {
  label: string
  items: readonly MenuItem[]
  /** What the button shows instead of three dots, and what it is called. */
  children?: ReactNode
  buttonLabel?: string
  className?: string
  onClose?: () => void
}

const GAP_PX = 4

/** A button, and the list of actions or choices that it opens. Escape and a press outside close the list. */
export function Menu({ label, items, children, buttonLabel, className, onClose }: MenuProps) {
  const id = useId()
  const button = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useLayoutEffect(() => {
    if (!isOpen || list.current === null) return
    place(list.current, button.current)
    const options = [...list.current.children]
    focusAt(
      list.current,
      Math.max(
        0,
        options.findIndex(({ ariaChecked }) => ariaChecked === 'true'),
      ),
    )
  }, [isOpen])
  const pick = (item: MenuItem) => {
    list.current?.hidePopover()
    item.onPick()
  }
  const opens = { popoverTarget: id, 'aria-haspopup': 'menu' } as const
  return (
    <span ref={button} className={children === undefined ? 'inline-flex' : undefined}>
      {children === undefined ? (
        <IconButton label={label} icon={Ellipsis} {...opens} />
      ) : (
        <button
          type="button"
          aria-label={buttonLabel}
          className={className}
          aria-expanded={isOpen}
          {...opens}
        >
          {children}
        </button>
      )}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        data-side={children === undefined ? undefined : 'left'}
        onToggle={({ newState }) => {
          setOpen(newState === 'open')
          if (newState === 'closed') onClose?.()
        }}
        onKeyDown={moveFocus}
        className="fixed m-0 max-h-[80dvh] max-w-84 min-w-48 overflow-auto rounded-md bg-raised p-1 text-sm text-ink shadow-floating"
      >
        {isOpen &&
          items.map((item) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: an item that is checked is a radio
            <button
              key={item.label}
              type="button"
              role={item.isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChosen}
              tabIndex={-1}
              onClick={() => pick(item)}
              onFocus={item.onPoint}
              onMouseEnter={item.onPoint}
              className={classNames(
                'flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2.5 text-left -outline-offset-2 hover:bg-sunken',
                item.hint !== undefined && 'py-1.5',
                item.gap && 'mt-1 border-t border-line',
                item.isChosen && 'bg-sunken',
              )}
            >
              {item.icon !== undefined && (
                <item.icon aria-hidden size={15} className="shrink-0 text-ink-soft" />
              )}
              <span>
                {item.label}
                {item.hint !== undefined && <span className="block text-xs text-ink-soft">{item.hint}</span>}
              </span>
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
  const isLeft = list.dataset['side'] === 'left' && at.left < innerWidth / 2
  const left = isLeft ? Math.min(at.left, innerWidth - width - GAP_PX) : at.right - width
  list.style.left = `${Math.max(GAP_PX, left)}px`
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
