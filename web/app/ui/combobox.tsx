import { Check, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { matches } from '../lib/search.ts'
import { classNames } from './class-names.ts'

export type Option = { id: string; name: string; detail?: string }

type ComboboxProps = {
  label: string
  options: readonly Option[]
  chosenId: string | null
  onChoose: (id: string) => void
  placeholder?: string
  describedBy?: string
}

const SHOWN = 100

/** A text field that filters a list of options and picks one of them. */
export function Combobox({ label, options, chosenId, onChoose, placeholder, describedBy }: ComboboxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { open, query, active, setActive, show, search, close } = useListbox()
  const chosen = options.find((option) => option.id === chosenId)
  const found = options.filter((option) => matches(`${option.name} ${option.detail ?? ''}`, query))
  const shown = found.slice(0, SHOWN)
  const pick = (option: Option) => {
    close()
    onChoose(option.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!open)
        show(
          Math.max(
            0,
            shown.findIndex((option) => option.id === chosenId),
          ),
        )
      else setActive((active + step + shown.length) % Math.max(1, shown.length))
    } else if (event.key === 'Escape' && open) {
      event.stopPropagation()
      close()
    } else if (event.key === 'Enter' && open) {
      event.preventDefault()
      const option = shown[active]
      if (option !== undefined) pick(option)
    }
  }
  return (
    <div className="relative">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && shown[active] !== undefined ? `${id}-${active}` : undefined}
        aria-describedby={describedBy}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={open ? query : (chosen?.name ?? '')}
        onChange={(event) => search(event.currentTarget.value)}
        onClick={() => !open && show(0)}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={close}
        onKeyDown={onKeyDown}
        className="field pr-10 font-mono text-sm"
      />
      <ChevronsUpDown
        aria-hidden
        size={16}
        className="pointer-events-none absolute right-3 bottom-3 text-ink-faint"
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        hidden={!open}
        className="absolute z-20 mt-1 max-h-72 w-full overflow-auto rounded-md border border-line bg-surface p-1 shadow-floating"
      >
        {shown.map((option, index) => (
          <ComboboxOption
            key={option.id}
            id={`${id}-${index}`}
            option={option}
            active={index === active}
            chosen={option.id === chosenId}
            onPick={() => pick(option)}
          />
        ))}
        {found.length === 0 && <Remark text={`Nothing matches “${query}”.`} />}
        {found.length > SHOWN && <Remark text={`${found.length - SHOWN} more. Type to narrow the list.`} />}
      </div>
    </div>
  )
}

function useListbox() {
  const [open, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const show = (index: number) => {
    setQuery('')
    setActive(index)
    setOpen(true)
  }
  const search = (text: string) => {
    setQuery(text)
    setActive(0)
    setOpen(true)
  }
  return { open, query, active, setActive, show, search, close: () => setOpen(false) }
}

type ComboboxOptionProps = {
  id: string
  option: Option
  active: boolean
  chosen: boolean
  onPick: () => void
}

function ComboboxOption({ id, option, active, chosen, onPick }: ComboboxOptionProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox that owns the list takes every key
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      // Keeping the press from moving the focus lets the click arrive before the list closes.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={classNames(
        'flex cursor-pointer items-start gap-2 rounded-sm px-2 py-1.5',
        active ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Check
        aria-hidden
        size={16}
        className={classNames('mt-1 shrink-0 text-accent', !chosen && 'invisible')}
      />
      <span className="min-w-0">
        <span className="block font-mono text-sm">{option.name}</span>
        {option.detail !== undefined && option.detail !== '' && (
          <span className="block text-xs text-ink-soft">{option.detail}</span>
        )}
      </span>
    </div>
  )
}

function Remark({ text }: { text: string }) {
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
