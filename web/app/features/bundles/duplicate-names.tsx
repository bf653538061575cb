import { useState } from 'react'
import type { BundleItem } from '../../lib/calls/answers.ts'
import { matches } from '../../lib/page/search.ts'
import { builtFrom } from '../../lib/rules/templates.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import type { OwnValues } from './duplicate-draft.ts'

const FILTER_FROM = 12

type DuplicateNamesProps = {
  items: readonly BundleItem[]
  own: OwnValues
  problems: ReadonlyMap<string, string>
  onChange: (own: OwnValues) => void
}

/** All names of the bundle: for each, whether the duplicate shares the key or gets its own, and with which value. */
export function DuplicateNames({ items, own, problems, onChange }: DuplicateNamesProps) {
  const [query, setQuery] = useState('')
  const shown = items.filter(({ name }) => matches(name, query))
  const set = (name: string, value: string | null) => {
    const next = new Map(own)
    if (value === null) next.delete(name)
    else next.set(name, value)
    onChange(next)
  }
  const ownAll = () => onChange(new Map(items.map(({ name }) => [name, own.get(name) ?? ''])))
  return (
    <fieldset>
      <legend className="text-sm font-medium">Keys that get their own copy</legend>
      <p className="mt-1 text-xs text-ink-soft">
        The others are shared: changing a value changes it in both bundles.
      </p>
      <div className="my-3 flex flex-wrap items-center gap-2">
        {items.length >= FILTER_FROM && (
          <SearchField label="Filter names" value={query} onChange={setQuery} className="min-w-40 flex-1" />
        )}
        <Button label="Own copy of all" size="small" onClick={ownAll} />
        <Button label="Share all" size="small" onClick={() => onChange(new Map())} />
      </div>
      <ul className="max-h-80 divide-y divide-line overflow-auto rounded-md border border-line">
        {shown.map((item) => (
          <NameRow
            key={item.name}
            item={item}
            value={own.get(item.name) ?? null}
            problem={problems.get(item.name)}
            onChange={(value) => set(item.name, value)}
          />
        ))}
      </ul>
    </fieldset>
  )
}

type NameRowProps = {
  item: BundleItem
  /** The typed value; null for a key that is shared. */
  value: string | null
  problem: string | undefined
  onChange: (value: string | null) => void
}

function NameRow({ item: { name, is_secret, template_parts }, value, problem, onChange }: NameRowProps) {
  return (
    <li className="px-3 py-2">
      <Checkbox
        className="flex min-h-7 items-center gap-3"
        checked={value !== null}
        onChange={(checked) => onChange(checked ? '' : null)}
      >
        <EntryName name={name} className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]" />
        <span className="text-xs text-ink-soft">{value === null ? 'shared' : 'own copy'}</span>
      </Checkbox>
      {template_parts !== undefined && (
        <p className="pl-7 text-xs text-ink-soft [overflow-wrap:anywhere]">{builtFrom(template_parts)}</p>
      )}
      {value !== null && (
        <div className="mt-1 pl-7">
          <TextArea
            label={`New value of ${name}`}
            value={value}
            rows={value.includes('\n') ? 4 : 1}
            onChange={(event) => onChange(event.currentTarget.value)}
            problem={problem}
            placeholder="Empty: a copy"
            code="small"
            className={is_secret ? 'concealed' : undefined}
          />
        </div>
      )}
    </li>
  )
}
