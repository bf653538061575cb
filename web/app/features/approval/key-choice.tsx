import { useId, useState } from 'react'
import type { RequestBundleItem } from '../../lib/answers.ts'
import { matches } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'

const FILTER_FROM = 12

type KeyChoiceProps = {
  items: readonly RequestBundleItem[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/** The bundle's keys, each to be handed over or not. */
export function KeyChoice({ items, selected, onSelect }: KeyChoiceProps) {
  const [query, setQuery] = useState('')
  const shown = items.filter(({ key }) => matches(key, query))
  const toggle = (name: string, on: boolean) => {
    const next = new Set(selected)
    if (on) next.add(name)
    else next.delete(name)
    onSelect(next)
  }
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Keys to hand over</legend>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <p className="mr-auto text-sm font-medium" aria-live="polite">
          {selected.size} of {items.length} selected
        </p>
        <Button look="quiet" size="small" onClick={() => onSelect(new Set(items.map(({ key }) => key)))}>
          Select all
        </Button>
        <Button look="quiet" size="small" onClick={() => onSelect(new Set())}>
          Clear
        </Button>
      </div>
      {items.length >= FILTER_FROM && (
        <input
          type="search"
          aria-label="Filter keys"
          placeholder="Filter keys"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          className="field mt-2"
        />
      )}
      <ul className="mt-2 divide-y divide-line rounded-md border border-line">
        {shown.map((item) => (
          <KeyRow key={item.key} item={item} checked={selected.has(item.key)} onToggle={toggle} />
        ))}
        {shown.length === 0 && <li className="px-3 py-2 text-sm text-ink-soft">No key matches “{query}”.</li>}
      </ul>
    </fieldset>
  )
}

type KeyRowProps = {
  item: RequestBundleItem
  checked: boolean
  onToggle: (name: string, on: boolean) => void
}

function KeyRow({ item, checked, onToggle }: KeyRowProps) {
  const id = useId()
  return (
    <li>
      <label className="flex items-start gap-3 px-3 py-2.5 hover:bg-sunken/60">
        <input
          type="checkbox"
          className="checkbox mt-0.5"
          checked={checked}
          onChange={(event) => onToggle(item.key, event.currentTarget.checked)}
          aria-describedby={`${id}-note`}
        />
        <span className="min-w-0 flex-1">
          <span className="font-mono text-sm font-medium break-all">{item.key}</span>
          <span id={`${id}-note`} className="block text-xs text-ink-soft">
            {item.required && <strong className="font-semibold text-caution">Required. </strong>}
            {item.is_secret ? 'Secret' : 'Not secret'}
            {item.description !== null && item.description !== '' && ` · ${item.description}`}
          </span>
        </span>
      </label>
    </li>
  )
}
