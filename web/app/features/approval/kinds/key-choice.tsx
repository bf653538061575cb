import { useState } from 'react'
import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { matches } from '../../../lib/page/search.ts'
import { Button } from '../../../ui/button.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { KeyRow } from './key-row.tsx'
import { isWhole, splitByAsking } from './selection.ts'

const FILTER_FROM = 12
const FOLD_FROM = 7
const ROW_HEIGHT_PX = 62

type KeyChoiceProps = {
  items: readonly RequestBundleItem[]
  bundleName: string
  /** The terminal names this bundle. */
  wasNamed: boolean
  /** Another person chose already. */
  isFixed: boolean
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

function KeyList({ items, isFixed, templateKeys, selected, onSelect }: KeyChoiceProps) {
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
  return (
    <fieldset className="min-w-0" disabled={isFixed}>
      <legend className="sr-only">Keys to share</legend>
      <AllKeys {...{ items, templateKeys, selected, onSelect }} />
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

type AllKeysProps = Pick<KeyChoiceProps, 'items' | 'templateKeys' | 'selected' | 'onSelect'>

function AllKeys({ items, templateKeys, selected, onSelect }: AllKeysProps) {
  const { asked } = splitByAsking(items, templateKeys)
  const all = asked.filter(isWhole).map(({ key }) => key)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <p className="text-sm font-medium" aria-live="polite">
        {selected.size} of {items.length} selected
      </p>
      <div className="ml-auto flex gap-2">
        <Button
          label={templateKeys.length === 0 ? 'Select all' : 'Select requested'}
          look="quiet"
          size="small"
          onClick={() => onSelect(new Set(all))}
        />
        <Button label="Clear" look="quiet" size="small" onClick={() => onSelect(new Set())} />
      </div>
    </div>
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
