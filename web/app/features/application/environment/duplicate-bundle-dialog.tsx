import { useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import { useWeaker } from '../../../lib/data/keys.ts'
import { useMay } from '../../../lib/data/me.ts'
import { applicationHref } from '../../../lib/page/places.ts'
import { matches } from '../../../lib/page/search.ts'
import { bundleNameProblem } from '../../../lib/rules/bundle-names.ts'
import { builtFrom } from '../../../lib/rules/templates.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { BundleNameField } from '../../../ui/bundle-forms.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { FormDialog } from '../../../ui/dialog-form.tsx'
import { EntryName } from '../../../ui/entry-name.tsx'
import { OpenCopies } from '../../../ui/open-copies.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { WeakerNotice } from '../../../ui/stricter-notice.tsx'
import { ValueField } from '../../../ui/value-field.tsx'

type DuplicateBundleDialogProps = {
  bundle: BundleWithItems
  /** A name for the duplicate, where one is known. */
  as: string | null
  onClose: () => void
}

/** Asks for the name of a duplicate and which of its keys are shared, creates it and leads to it. */
export function DuplicateBundleDialog({ bundle, as, onClose }: DuplicateBundleDialogProps) {
  const may = useMay()
  const duplicate = useChange('duplicateBundle', { bundle_id: bundle.id })
  const proposed = as === null || as === '' ? `${bundle.name}-copy` : as
  const [name, setName] = useState(proposed)
  const [own, setOwn] = useState<OwnValues>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const attached = bundle.items.filter(({ id }) => id !== null)
  const copied = attached.filter((item) => own.get(item.name) === '')
  const typed = [...own].filter(([, value]) => value !== '')
  const problems = valueProblems(own)
  const open = attached.flatMap((item) => (own.has(item.name) && !item.is_secret ? [item.name] : []))
  const [isOpen, setOpen] = useState(false)
  const copiedIds = copied.flatMap(({ id }) => id ?? [])
  const weaker = useWeaker(copiedIds, bundle.id)
  const input = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    if (found !== null || problems.size > 0) return null
    const values = Object.fromEntries(typed)
    return { name, own: copied.map((item) => item.name), values, public: isOpen ? open : [] }
  }
  return (
    <FormDialog
      title={`Duplicate ${bundle.name}`}
      action="Duplicate"
      change={duplicate}
      input={input}
      unsaved={name !== proposed || typed.length > 0}
      also="Nothing was created."
      leadsTo={(copy) => `${applicationHref(copy.name)}?new=1`}
      done={(copy) => `Created ${copy.name}.`}
      onClose={onClose}
    >
      <BundleNameField value={name} onChange={setName} problem={problem} />
      {may('splitKey') && attached.length > 0 ? (
        <DuplicateNames items={attached} own={own} problems={problems} onChange={setOwn} />
      ) : (
        <p className="text-sm text-ink-soft">
          Both bundles use the same keys: changing a value changes it in both.
        </p>
      )}
      <OpenCopies names={open} checked={isOpen} onChange={setOpen} />
      <WeakerNotice names={weaker} />
    </FormDialog>
  )
}

const FILTER_FROM = 12

type DuplicateNamesProps = {
  items: readonly BundleItem[]
  own: OwnValues
  problems: ReadonlyMap<string, string>
  onChange: (own: OwnValues) => void
}

/** All names of the bundle: for each, whether the duplicate shares the key or gets its own, and with which value. */
function DuplicateNames({ items, own, problems, onChange }: DuplicateNamesProps) {
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
          <ValueField
            label={`New value of ${name}`}
            isSecret={is_secret}
            placeholder="Empty: a copy"
            {...{ value, onChange, problem }}
          />
        </div>
      )}
    </li>
  )
}

/** The names that get a copy, with the value typed for it; an empty text copies the value that is there. */
type OwnValues = ReadonlyMap<string, string>

/** What is wrong with typed values, by name. */
function valueProblems(own: OwnValues): ReadonlyMap<string, string> {
  const problems = [...own].map(([name, value]) => [name, valueProblem(value)] as const)
  return new Map(problems.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]])))
}
