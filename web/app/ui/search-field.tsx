import { useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { Search } from './icons.ts'

type SearchFieldProps = {
  label: string
  value: string
  onChange: (text: string) => void
  className?: string
}

// Beside other filters, which go below it where there is little room.
const BESIDE = 'min-w-40 flex-1 basis-full sm:basis-40'

/** A search field; the key `/` moves the focus into it from anywhere on the page. */
export function SearchField({ label, value, onChange, className = BESIDE }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      input.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <div className={classNames('relative print:has-placeholder-shown:hidden', className)}>
      <Search aria-hidden size={16} className="pointer-events-none absolute top-3 left-3 text-ink-faint" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        aria-keyshortcuts="/"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        className="field pl-9"
      />
    </div>
  )
}

/** Whether a key press goes into a field that takes text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'))
  )
}
