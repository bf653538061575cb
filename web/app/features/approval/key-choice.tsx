import { useId, useState } from 'react'
import type { RequestBundleItem } from '../../lib/answers.ts'
import { DUE_NAMES } from '../../lib/due.ts'
import { matches } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { isWhole, splitByAsking } from './selection.ts'

const FILTER_FROM = 12
const FOLD_FROM = 7
const ROW_HEIGHT_PX = 62

type KeyChoiceProps = {
  items: readonly RequestBundleItem[]
  bundleName: string
  /** The terminal names this bundle. */
  wasNamed: boolean
  templateKeys: readonly string[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/** The bundle's keys, each with a checkbox. Keys that the terminal did not request are folded away; so is a long list
 * of which the terminal needs every key. */
export function KeyChoice(props: KeyChoiceProps) {
  const [open, setOpen] = useState(false)
  const { items, bundleName, wasNamed, templateKeys } = props
  const { asked, others } = splitByAsking(items, templateKeys)
  const isNeeded = templateKeys.length > 0 || asked.every(({ required }) => required)
  if (!wasNamed || !isNeeded || asked.length < FOLD_FROM) return <KeyList {...props} />
  const which = templateKeys.length > 0 ? 'requested' : 'required'
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-sm">
        <strong className="font-medium">
          {props.selected.size} of {asked.length} {which} keys
        </strong>{' '}
        of <span className="font-mono">{bundleName}</span>
        {others.length > 0 && ` (it has ${others.length} more)`}
      </summary>
      {open && <KeyList {...props} />}
    </details>
  )
}

function KeyList({ items, templateKeys, selected, onSelect }: KeyChoiceProps) {
  const [query, setQuery] = useState('')
  const shown = items.filter(({ key }) => matches(key, query))
  const { asked, others } = splitByAsking(shown, templateKeys)
  const toggle = (name: string, on: boolean) => {
    const next = new Set(selected)
    if (on) next.add(name)
    else next.delete(name)
    onSelect(next)
  }
  const rows = { selected, onToggle: toggle }
  const all = splitByAsking(items, templateKeys)
    .asked.filter(isWhole)
    .map(({ key }) => key)
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Keys to share</legend>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <p className="text-sm font-medium" aria-live="polite">
          {selected.size} of {items.length} selected
        </p>
        <div className="ml-auto flex gap-2">
          <Button look="quiet" size="small" onClick={() => onSelect(new Set(all))}>
            {templateKeys.length === 0 ? 'Select all' : 'Select requested'}
          </Button>
          <Button look="quiet" size="small" onClick={() => onSelect(new Set())}>
            Clear
          </Button>
        </div>
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
      {shown.length === 0 && <p className="mt-2 text-sm text-ink-soft">No key matches “{query}”.</p>}
      {asked.length > 0 && <KeyRows label="Keys" items={asked} {...rows} />}
      {others.length > 0 && <OtherKeys items={others} {...rows} />}
    </fieldset>
  )
}

type KeyRowsProps = {
  items: readonly RequestBundleItem[]
  selected: ReadonlySet<string>
  onToggle: (name: string, on: boolean) => void
}

function OtherKeys(rows: KeyRowsProps) {
  const [open, setOpen] = useState(false)
  const count = rows.items.length
  return (
    <details className="mt-3" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-sm text-ink-soft">
        {count} {count === 1 ? 'key that was' : 'keys that were'} not requested
      </summary>
      {open && (
        <>
          <p className="mt-1 text-sm text-ink-soft">
            The terminal named the keys that it needs. The keyferry client refuses a delivery with other keys.
          </p>
          <KeyRows label="Keys that were not requested" {...rows} />
        </>
      )}
    </details>
  )
}

function KeyRows({ label, items, selected, onToggle }: KeyRowsProps & { label: string }) {
  return (
    <div className="mt-2">
      <VirtualList
        label={label}
        items={items}
        keyOf={({ key }) => key}
        rowHeight={ROW_HEIGHT_PX}
        render={(item) => <KeyRow item={item} checked={selected.has(item.key)} onToggle={onToggle} />}
      />
    </div>
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
    <label className="flex items-start gap-3 px-3 py-2.5 hover:bg-sunken/60">
      <input
        type="checkbox"
        className="checkbox mt-0.5"
        checked={checked}
        disabled={!isWhole(item)}
        onChange={(event) => onToggle(item.key, event.currentTarget.checked)}
        aria-describedby={`${id}-note`}
      />
      <span className="min-w-0 flex-1">
        <span className="font-mono text-sm font-medium break-all">{item.key}</span>
        <span id={`${id}-note`} className="block text-xs text-ink-soft">
          {item.required && <strong className="font-semibold text-caution">Required. </strong>}
          {item.due !== null && (
            <strong className="font-semibold text-caution">{DUE_NAMES[item.due]}. </strong>
          )}
          {isWhole(item) && (item.is_secret ? 'Secret' : 'Not secret')}
          {item.description !== null && item.description !== '' && ` · ${item.description}`}
          <BuiltFrom item={item} />
        </span>
      </span>
    </label>
  )
}

function BuiltFrom({ item: { built_from, missing_parts = [] } }: { item: RequestBundleItem }) {
  if (built_from === undefined) return null
  return (
    <span className="block [overflow-wrap:anywhere]">
      {missing_parts.length > 0 ? (
        <strong className="font-semibold text-danger">
          Cannot be built: {missing_parts.join(', ')} missing from this bundle.
        </strong>
      ) : (
        `Built from ${built_from.join(', ')}. Their values go into it, selected or not.`
      )}
    </span>
  )
}
