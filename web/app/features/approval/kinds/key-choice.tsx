import { useId, useState } from 'react'
import type { RequestBundle, RequestBundleItem } from '../../../lib/calls/answers.ts'
import { matches } from '../../../lib/page/search.ts'
import { counted } from '../../../lib/words/counted.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { commonFacts, factsOf } from './key-facts.ts'
import { changedFirst, isWhole, splitByAsking } from './selection.ts'

const FILTER_FROM = 12
const ROW_HEIGHT_PX = 62

type KeyChoiceProps = {
  bundle: RequestBundle
  /** Another person chose already. */
  isFixed: boolean
  templateKeys: readonly string[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

/** The bundle's keys, each with a checkbox, folded away. Those that the terminal did not request are folded once
 * more. */
export function KeyChoice({ bundle, ...choice }: KeyChoiceProps) {
  const [open, setOpen] = useState(false)
  const { asked } = splitByAsking(bundle.items, choice.templateKeys)
  const { size } = choice.selected
  const chosen = size === asked.length ? counted(size, 'key') : `${size} of ${counted(asked.length, 'key')}`
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-sm">
        {chosen}, {changeOf(bundle, choice.selected)}
      </summary>
      {open && <KeyList items={changedFirst(bundle.items)} {...choice} />}
    </details>
  )
}

function changeOf({ items, last_approved_at: last }: RequestBundle, selected: ReadonlySet<string>) {
  const count = items.filter(({ key, changed }) => changed === true && selected.has(key)).length
  if (last === null) return 'your first approval of this bundle'
  if (count === 0) return 'unchanged since you last approved'
  return <strong className="font-semibold">{count} changed since you last approved</strong>
}

type KeyListProps = Omit<KeyChoiceProps, 'bundle'> & { items: readonly RequestBundleItem[] }

function KeyList({ items, isFixed, templateKeys, selected, onSelect }: KeyListProps) {
  const [query, setQuery] = useState('')
  const shown = items.filter(({ key }) => matches(key, query))
  const { asked, others } = splitByAsking(shown, templateKeys)
  const onToggle = (name: string, on: boolean) => {
    const next = new Set(selected)
    if (on) next.add(name)
    else next.delete(name)
    onSelect(next)
  }
  const rows = { selected, onToggle, common: commonFacts(items) }
  return (
    <fieldset className="mt-1 min-w-0" disabled={isFixed}>
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

function AllKeys({ items, templateKeys, selected, onSelect }: Omit<KeyListProps, 'isFixed'>) {
  const { asked } = splitByAsking(items, templateKeys)
  const all = asked.filter(isWhole).map(({ key }) => key)
  const common = commonFacts(items)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <p>
        <span aria-live="polite">
          {selected.size} of {items.length} selected
        </span>
        {common.size > 0 && <span className="text-ink-soft"> · all {[...common].join(', ')}</span>}
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
  common: ReadonlySet<string>
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

function KeyRows({ label, items, common, selected, onToggle }: KeyRowsProps & { label: string }) {
  return (
    <div className="mt-2">
      <VirtualList
        label={label}
        items={items}
        keyOf={({ key }) => key}
        rowHeight={ROW_HEIGHT_PX}
        render={(item) => (
          <KeyRow item={item} common={common} checked={selected.has(item.key)} onToggle={onToggle} />
        )}
      />
    </div>
  )
}

type KeyRowProps = {
  item: RequestBundleItem
  /** What is true of all keys, and is said once above them. */
  common: ReadonlySet<string>
  checked: boolean
  onToggle: (name: string, on: boolean) => void
}

/** One key of the bundle with its checkbox, and what is known of its value. */
function KeyRow({ item, common, checked, onToggle }: KeyRowProps) {
  const id = useId()
  const facts = [...factsOf(item)].filter(([text]) => !common.has(text))
  return (
    <Checkbox
      className="flex items-start gap-3 px-3 py-2.5 hover:bg-sunken/60"
      boxClass="mt-0.5"
      checked={checked}
      disabled={!isWhole(item)}
      onChange={(on) => onToggle(item.key, on)}
      aria-describedby={`${id}-note`}
    >
      <span className="min-w-0 flex-1">
        <span className="font-mono text-sm font-medium break-all">{item.key}</span>
        <span id={`${id}-note`} className="block text-xs text-ink-soft">
          {facts.map(([text, isMarked], index) => (
            <span key={text}>
              {index > 0 && ' · '}
              <bdi className={isMarked ? 'font-semibold text-ink' : ''}>{text}</bdi>
            </span>
          ))}
          <BuiltFrom item={item} />
        </span>
      </span>
    </Checkbox>
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
        `Built from ${built_from.join(', ')}. It contains their values, even if you do not select them.`
      )}
    </span>
  )
}
