import { type KeyboardEvent, useId, useState } from 'react'
import { isComposing } from '../lib/page/composing.ts'
import { matches } from '../lib/page/search.ts'
import { classNames } from './class-names.ts'
import { Check, ChevronsUpDown } from './icons.ts'
import { ListboxOption, ListboxRemark } from './listbox-option.tsx'
import { useActiveOption } from './use-active-option.ts'

type Option = { id: string; name: string; detail?: string }

type Choosing = { options: readonly Option[]; chosenId: string | null; onChoose: (id: string) => void }

type ComboboxProps = Choosing & { label: string; placeholder?: string; onFocus?: () => void }

const SHOWN = 100

/** A text field that filters a list of options and picks one of them. */
export function Combobox({ label, placeholder, onFocus, ...choosing }: ComboboxProps) {
  const id = useId()
  const box = useCombobox(choosing)
  const activeId = box.open && box.shown[box.active] !== undefined ? `${id}-${box.active}` : undefined
  return (
    <div className="relative print:has-placeholder-shown:hidden">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        role="combobox"
        aria-expanded={box.open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={box.text}
        onChange={(event) => box.search(event.currentTarget.value)}
        onClick={() => !box.open && box.search('')}
        onFocus={(event) => {
          event.currentTarget.select()
          onFocus?.()
        }}
        // The field stays the active element while another window has the focus.
        onBlur={(event) => event.currentTarget !== document.activeElement && box.close()}
        onKeyDown={box.onKeyDown}
        className="field pr-10 font-mono text-sm"
      />
      <ChevronsUpDown
        aria-hidden
        size={16}
        className="pointer-events-none absolute right-3 bottom-3 text-ink-faint"
      />
      <OptionList id={id} label={label} box={box} chosenId={choosing.chosenId} />
    </div>
  )
}

function useCombobox({ options, chosenId, onChoose }: Choosing) {
  const [query, setQuery] = useState<string | null>(null)
  const open = query !== null
  const found = options.filter(({ name, detail }) => matches(`${name} ${detail ?? ''}`, query ?? ''))
  const shown = found.slice(0, SHOWN)
  const close = () => setQuery(null)
  const pick = (index: number) => {
    const option = shown[index]
    // What is typed stays where nothing fits, or while the options are on their way.
    if (option === undefined) return
    close()
    onChoose(option.id)
  }
  const { active, setActive, onKeyDown: onListKey } = useActiveOption(shown.length, pick)
  const search = (text: string, from = 0) => {
    setQuery(text)
    setActive(from)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (open && event.key === 'Escape') {
      event.preventDefault()
      close()
    } else if (open) onListKey(event)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      search(
        '',
        Math.max(
          0,
          options.slice(0, SHOWN).findIndex(({ id }) => id === chosenId),
        ),
      )
    }
  }
  const text = query ?? options.find(({ id }) => id === chosenId)?.name ?? ''
  return { open, text, found, shown, active, search, pick, close, onKeyDown }
}

type OptionListProps = {
  id: string
  label: string
  box: ReturnType<typeof useCombobox>
  chosenId: string | null
}

function OptionList({
  id,
  label,
  box: { open, text, found, shown, active, pick },
  chosenId,
}: OptionListProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      hidden={!open}
      className="absolute z-20 mt-1 max-h-72 w-full overflow-auto rounded-md bg-raised p-1 shadow-floating"
    >
      {shown.map((option, index) => (
        <ListboxOption
          key={option.id}
          id={`${id}-${index}`}
          active={index === active}
          selected={option.id === chosenId}
          onPick={() => pick(index)}
        >
          <OptionText option={option} chosen={option.id === chosenId} />
        </ListboxOption>
      ))}
      {found.length === 0 && <ListboxRemark text={`Nothing matches “${text}”.`} />}
      {found.length > SHOWN && (
        <ListboxRemark text={`${found.length - SHOWN} more. Type to narrow the list.`} />
      )}
    </div>
  )
}

function OptionText({ option: { name, detail }, chosen }: { option: Option; chosen: boolean }) {
  return (
    <>
      <Check
        aria-hidden
        size={16}
        className={classNames('mt-0.5 shrink-0 text-accent', !chosen && 'invisible')}
      />
      <span className="min-w-0">
        <span translate="no" className="block font-mono text-sm">
          {name}
        </span>
        {detail !== undefined && detail !== '' && (
          <span className="block text-xs text-ink-soft">{detail}</span>
        )}
      </span>
    </>
  )
}
