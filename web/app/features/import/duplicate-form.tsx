import { isProduction } from '@keyferry/contract/production'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { BundleItem, BundleWithItems } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { matches } from '../../lib/page/search.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { builtFrom } from '../../lib/rules/templates.ts'
import { BundleNameField } from '../../ui/bundle-forms.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'

/** Makes a bundle as a copy of another one: of the one that the address names, or that the person chooses. */
export function DuplicateForm() {
  const [params, setParams] = useSearchParams()
  const bundles = useAnswer('listBundles', {}).data?.filter(({ may_duplicate }) => may_duplicate)
  const wanted = params.get('bundle')
  const id = bundles?.find(({ name }) => name === wanted)?.id ?? null
  const bundle = useAnswer('getBundle', { bundle_id: id ?? '' }, { enabled: id !== null }).data
  return (
    <div className="max-w-read space-y-4">
      <Combobox
        label="Bundle to copy"
        placeholder="dev/app"
        options={bundles ?? []}
        chosenId={id}
        onChoose={(chosen) =>
          setParams({ bundle: bundles?.find((each) => each.id === chosen)?.name ?? '' }, { replace: true })
        }
      />
      {bundle !== undefined && <CopyOf key={bundle.id} bundle={bundle} as={params.get('as')} />}
    </div>
  )
}

type CopyOfProps = {
  bundle: BundleWithItems
  /** A name for the duplicate, where one is known. */
  as: string | null
}

/** The name of a duplicate, and which of its variables get values of their own. */
function CopyOf({ bundle, as }: CopyOfProps) {
  const [, navigate] = useLocation()
  const may = useMay()
  const duplicate = useChange('duplicateBundle', { bundle_id: bundle.id })
  const proposed = as === null || as === '' ? `${bundle.name}-copy` : as
  const [name, setName] = useState(proposed)
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string | null>(null)
  const attached = bundle.items.filter(({ id }) => id !== null)
  const copiedIds = attached.flatMap(({ id, name: copied }) => (id && own.has(copied) ? [id] : []))
  const weaker = useWeaker(copiedIds, bundle.id)
  const input = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    return found === null ? { name, own: [...own] } : null
  }
  return (
    <DialogForm
      action="Duplicate"
      isProduction={isProduction({ ...bundle, name, production: 'by_name' })}
      change={duplicate}
      input={input}
      unsaved={name !== proposed}
      also="Nothing was created."
      leadsTo={(copy) => `${applicationHref(copy.name)}?new=1`}
      done={(copy) => `Created ${copy.name}.`}
      onClose={() => navigate(applicationHref(bundle.name))}
    >
      <BundleNameField value={name} onChange={setName} problem={problem} />
      {may('splitKey') && attached.length > 0 ? (
        <DuplicateNames items={attached} own={own} onChange={setOwn} />
      ) : (
        <p className="text-sm text-ink-soft">The two share their values: changing one changes it in both.</p>
      )}
      <WeakerNotice names={weaker} />
    </DialogForm>
  )
}

const FILTER_FROM = 12

type DuplicateNamesProps = {
  items: readonly BundleItem[]
  /** The names that get a copy. */
  own: ReadonlySet<string>
  onChange: (own: ReadonlySet<string>) => void
}

/** All names of the bundle: for each, whether the duplicate shares the key or gets its own. */
function DuplicateNames({ items, own, onChange }: DuplicateNamesProps) {
  const [query, setQuery] = useState('')
  return (
    <fieldset>
      <legend className="text-sm font-medium">Variables that get their own copy</legend>
      <p className="mt-1 text-xs text-ink-soft">
        The others are shared: changing a value changes it in both bundles.
      </p>
      <div className="my-3 flex flex-wrap items-center gap-2">
        {items.length >= FILTER_FROM && (
          <SearchField label="Filter names" value={query} onChange={setQuery} className="min-w-40 flex-1" />
        )}
        <Button
          label="Own copy of all"
          size="small"
          onClick={() => onChange(new Set(items.map(({ name }) => name)))}
        />
        <Button label="Share all" size="small" onClick={() => onChange(new Set())} />
      </div>
      <ul className="max-h-80 divide-y divide-line overflow-auto rounded-md border border-line">
        {items
          .filter(({ name }) => matches(name, query))
          .map(({ name, is_secret, template_parts }) => (
            <li key={name} className="px-3 py-2">
              <Checkbox
                className="flex min-h-7 items-center gap-3"
                checked={own.has(name)}
                onChange={() => onChange(own.symmetricDifference(new Set([name])))}
              >
                <EntryName
                  name={name}
                  className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]"
                />
                <span className="text-xs text-ink-soft">
                  {own.has(name) ? `own copy${is_secret ? '' : ', readable'}` : 'shared'}
                </span>
              </Checkbox>
              {template_parts !== undefined && (
                <p className="pl-7 text-xs text-ink-soft [overflow-wrap:anywhere]">
                  {builtFrom(template_parts)}
                </p>
              )}
            </li>
          ))}
      </ul>
    </fieldset>
  )
}
