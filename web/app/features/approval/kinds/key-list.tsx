import { useId, useState } from 'react'
import type { RequestBundle, RequestBundleItem } from '../../../lib/calls/answers.ts'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { matches } from '../../../lib/page/search.ts'
import { DUE_NAMES } from '../../../lib/words/due.ts'
import { ago } from '../../../lib/words/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { isWhole, type KeySelection, splitByAsking } from './selection.ts'

const FILTER_FROM = 12

export type KeyListProps = KeySelection & {
  bundle: RequestBundle
  onSelect: (selected: ReadonlySet<string>) => void
}

/** The variables of a bundle, each with a checkbox. */
export function KeyList(choice: KeyListProps) {
  const { bundle, items, templateKeys, selected, onSelect } = choice
  const [query, setQuery] = useState('')
  const shown = items.filter(({ key }) => matches(key, query))
  const { asked, others } = splitByAsking({ items: shown, templateKeys })
  const onToggle = (name: string) => onSelect(selected.symmetricDifference(new Set([name])))
  const rows = { selected, onToggle, common: commonFacts(items) }
  return (
    <fieldset className="min-w-0" disabled={Boolean(bundle.first_approval)}>
      <legend className="sr-only">Variables to share</legend>
      <AllKeys {...choice} />
      {items.length >= FILTER_FROM && (
        <input
          type="search"
          aria-label="Filter variables"
          placeholder="Filter variables"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          className="field mt-2"
        />
      )}
      {shown.length === 0 && <p className="mt-2 text-sm text-ink-soft">No variable matches “{query}”.</p>}
      {asked.length > 0 && <KeyRows label="Variables" items={asked} {...rows} />}
      {others.length > 0 && <OtherKeys items={others} {...rows} />}
    </fieldset>
  )
}

function AllKeys({ onSelect, ...selection }: KeyListProps) {
  const { items, templateKeys, selected } = selection
  const { asked } = splitByAsking(selection)
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
  /** What is true of all variables, and is said once above them. */
  common: ReadonlySet<string>
  selected: ReadonlySet<string>
  onToggle: (name: string) => void
}

function OtherKeys(rows: KeyRowsProps) {
  const [open, setOpen] = useState(false)
  const count = rows.items.length
  return (
    <details className="mt-3" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="rounded-sm py-1 text-sm text-ink-soft">
        {count} {count === 1 ? 'variable that was' : 'variables that were'} not requested
      </summary>
      {open && (
        <>
          <p className="mt-1 text-sm text-ink-soft">
            The terminal named the variables that it needs. The keyferry client refuses a delivery with
            others.
          </p>
          <KeyRows label="Variables that were not requested" {...rows} />
        </>
      )}
    </details>
  )
}

function KeyRows({ label, items, ...rows }: KeyRowsProps & { label: string }) {
  return (
    <div className="mt-2">
      <VirtualList
        label={label}
        items={items}
        keyOf={({ key }) => key}
        rowHeight={54}
        render={(item) => <KeyRow item={item} {...rows} />}
      />
    </div>
  )
}

type RequestedKeyRowProps = Omit<KeyRowsProps, 'items'> & { item: RequestBundleItem }

/** One key of the bundle with its checkbox, and what is known of its value. */
function KeyRow({ item, common, selected, onToggle }: RequestedKeyRowProps) {
  const id = useId()
  const facts = [...factsOf(item)].filter(([text]) => !common.has(text))
  return (
    <Checkbox
      className="flex items-start gap-3 px-3 py-2 hover:bg-sunken/60"
      boxClass="mt-0.5"
      checked={selected.has(item.key)}
      disabled={!isWhole(item)}
      onChange={() => onToggle(item.key)}
      aria-describedby={`${id}-note`}
    >
      <span className="min-w-0 flex-1">
        <span className="font-mono text-xs font-medium break-all">{item.key}</span>
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

const RECENT_MS = 86_400_000

type Fact = readonly [text: string, isMarked: boolean]

/** Facts about a key, and whether each deserves a second look. */
function factsOf(item: RequestBundleItem): ReadonlyMap<string, boolean> {
  const { required, due, is_secret: isSecret, description, stricter } = item
  const facts: readonly (Fact | false)[] = [
    ...lastValue(item),
    due !== null && [DUE_NAMES[due].toLowerCase(), true],
    required && ['required', false],
    [isSecret ? 'secret' : 'not secret', false],
    description !== null && description !== '' && [description, false],
    stricter === true && ['a rule of another bundle applies', false],
  ]
  return new Map(facts.filter((fact) => fact !== false))
}

/** What is true of all variables. */
function commonFacts(items: readonly RequestBundleItem[]): ReadonlySet<string> {
  const [first, ...others] = items.map(factsOf)
  if (first === undefined || others.length === 0) return new Set()
  return new Set([...first.keys()].filter((fact) => others.every((facts) => facts.has(fact))))
}

// Says who changed a value lately: it may not be the value that the approver expects.
function lastValue({ version, changed, changed_at: at, changed_by: by }: RequestBundleItem): Fact[] {
  if (version === undefined || version === null) return []
  if (!at) return [[`version ${version}`, false]]
  const isMarked = changed === true || serverNowMs() - Date.parse(at) <= RECENT_MS
  const person = isMarked ? ` by ${by ?? 'a former member'}` : ''
  return [
    [`version ${version}`, false],
    [`changed ${ago(at)}${person}`, isMarked],
  ]
}
