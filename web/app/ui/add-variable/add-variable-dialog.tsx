import { isKeyName } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import { isProduction } from '@keyferry/contract/production'
import { applicationOf, compareEnvironments, environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { keepText, keptText } from '../../lib/page/kept.ts'
import {
  type BundleValue,
  type BundleValues,
  importOf,
  placesUsed,
  problemsIn,
} from '../../lib/rules/variable-draft.ts'
import { Combobox } from '../combobox.tsx'
import { FormDialog } from '../dialog-form.tsx'
import { SecretChoice } from '../secret-choice.tsx'
import { TextField } from '../text-field.tsx'
import { notify } from '../toast-store.ts'
import { EnvironmentRow } from './environment-row.tsx'

type AddVariableDialogProps = {
  bundle: EnvironmentName
  /** The name, if it is known. */
  name?: string
  /** Other bundles that it may be for. */
  among?: readonly EnvironmentName[]
  /** Called with the name of the new variable, once it is there. */
  onAdded?: (name: string) => void
  onClose: () => void
}

/** Adds a variable to a bundle and to the other environments of its application, in one step. A name that exists is no
 * error: each bundle gets a value of its own, or shares one. */
export function AddVariableDialog({
  bundle,
  name: given = '',
  among = [],
  onAdded,
  onClose,
}: AddVariableDialogProps) {
  const { environments, production, free, add } = useEnvironments(bundle, among)
  const draft = useVariableDraft(given, environments)
  const { name, isSecret, problems } = draft
  const having = useHaving(name, environments)
  const change = useChange('importVariables', {})
  const used = placesUsed(draft.places)
  return (
    <FormDialog
      title={`Add variable to ${applicationOf(bundle.name)}`}
      action={`Add to ${labelsOf(used, bundle.name)}`}
      isProduction={used.some((place) => production.has(place))}
      change={change}
      input={() => draft.input(having.here)}
      unsaved={draft.isTyped}
      onDone={() => {
        onClose()
        notify({ text: `Added ${name} to ${used.join(', ')}.` })
        onAdded?.(name)
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoFocus={given === ''}
        value={name}
        onChange={draft.setName}
        problem={problems.name}
        placeholder="DATABASE_URL"
        autoCapitalize="characters"
        code="normal"
      />
      <SecretChoice isSecret={isSecret} onChange={draft.setSecret} />
      <Known name={name} {...having} />
      <Values environments={environments} draft={draft} having={having} />
      {free.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-soft">Add it to another bundle too</summary>
          <div className="mt-2 min-h-40">
            <Combobox label="Bundle" options={free} chosenId={null} onChoose={add} />
          </div>
        </details>
      )}
    </FormDialog>
  )
}

const shortName = (name: string) => environmentOf(name) || name

/** `dev and staging`, or `3 environments`. */
function labelsOf(names: readonly string[], fallback: string): string {
  if (names.length === 0) return shortName(fallback)
  return names.length > 2 ? `${names.length} environments` : names.map(shortName).join(' and ')
}

type Having = ReturnType<typeof useHaving>

function Known({ name, here, elsewhere }: Omit<Having, 'fixed'> & { name: string }) {
  const known = [...here, ...elsewhere]
  if (known.length === 0) return null
  return (
    <p role="status" className="text-sm text-ink-soft">
      {name} exists in {known.join(', ')}. Each bundle gets its own value, or shares one.
    </p>
  )
}

type ValuesProps = {
  environments: readonly EnvironmentName[]
  draft: ReturnType<typeof useVariableDraft>
  having: Having
}

function Values({ environments, draft, having: { here, elsewhere, fixed } }: ValuesProps) {
  const { places, isSecret, problems } = draft
  const typed = [...places].flatMap(([name, { kind }]) => (kind === 'own' ? [name] : []))
  const sources = [...new Set([...typed, ...here, ...elsewhere])]
  return (
    <fieldset>
      <legend className="sr-only">Value</legend>
      <ul className="space-y-3">
        {environments.map(({ id, name }) => (
          <EnvironmentRow
            key={id}
            bundleName={name}
            name={draft.name}
            place={places.get(name) ?? { kind: 'none' }}
            hasIt={here.has(name)}
            isFixed={fixed.has(name)}
            sources={sources.filter((other) => other !== name)}
            isSecret={isSecret}
            problem={problems.values.get(name) ?? null}
            onChange={(place) => draft.setPlace(name, place)}
          />
        ))}
      </ul>
      {problems.none && (
        <p role="alert" className="mt-2 text-sm text-danger">
          Type a value.
        </p>
      )}
    </fieldset>
  )
}

type VariableProblems = { name: string | null; values: ReadonlyMap<string, string>; none: boolean }

const NOWHERE: BundleValue = { kind: 'none' }

/** A variable that is being written, and what is wrong with it. It is secret unless the person says otherwise. */
function useVariableDraft(given: string, environments: readonly { name: string }[]) {
  const [name, setName] = useState(given)
  const [chosen, setChosen] = useState<BundleValues>(new Map())
  const [isSecret, setSecret] = useState(true)
  const [problems, setProblems] = useState<VariableProblems>({ name: null, values: new Map(), none: false })
  const places: BundleValues = new Map(
    environments.map((each) => [each.name, chosen.get(each.name) ?? NOWHERE]),
  )
  const values = [...places.values()].flatMap((place) => (place.kind === 'own' ? [place.value] : []))
  const input = (here: ReadonlySet<string>) => {
    const asked = importOf({ name, isSecret, places, here })
    const found = { name: nameProblem(name), values: problemsIn(places), none: asked === null }
    setProblems(found)
    return found.name === null && found.values.size === 0 ? asked : null
  }
  const setPlace = (bundle: string, place: BundleValue) => setChosen(new Map([...chosen, [bundle, place]]))
  const isTyped = name !== given || values.some((value) => value !== '')
  return { name, setName, places, setPlace, isSecret, setSecret, problems, input, isTyped }
}

function nameProblem(name: string): string | null {
  if (isKeyName(name)) return null
  return name === '' ? 'Give the variable a name.' : 'Use letters, digits and _ only.'
}

type EnvironmentName = { id: string; name: string }

/** The bundles that a variable of one bundle may also be for: the environments of its application, and those that the
 * person adds, which this browser remembers. `free`: those that can still be added. */
function useEnvironments(bundle: EnvironmentName, among: readonly EnvironmentName[]) {
  const mine = (useAnswer('listBundles', {}).data ?? []).filter(({ may_edit }) => may_edit)
  const [added, setAdded] = useState(() => (keptText(STORED + bundle.id) ?? '').split(' ').filter(Boolean))
  const named = [bundle, ...among, ...siblingsOf(bundle.name, mine)]
  const ids = new Set([...named.map(({ id }) => id), ...added])
  const chosen: Bundle[] = mine
    .filter(({ id }) => ids.has(id))
    .toSorted((a, b) => compareEnvironments(environmentOf(a.name), environmentOf(b.name)))
    .slice(0, LIMITS.comparedBundles)
  const add = (id: string) => {
    setAdded([...added, id])
    keepText(STORED + bundle.id, [...added, id].join(' '))
  }
  return {
    environments: chosen.length === 0 ? [bundle] : chosen,
    production: new Set(chosen.filter(isProduction).map(({ name }) => name)),
    free: mine.filter(({ id }) => !ids.has(id)),
    add,
  }
}

const STORED = 'keyferry.environments.'

/** The bundles that deliver a name: among `environments`, and others whose key the person may put into them. `fixed`:
 * those whose value the person may not replace. */
function useHaving(name: string, environments: readonly EnvironmentName[]) {
  const may = useMay()
  const delivering = (useLibrary().data ?? []).flatMap(({ bundles = [], may_show, may_change }) => {
    const isFixed = !may_change || (bundles.length > 1 && !may('splitKey'))
    return bundles.filter(({ as }) => as === name).map((bundle) => ({ ...bundle, may_show, isFixed }))
  })
  const isHere = ({ id }: EnvironmentName) => environments.some((each) => each.id === id)
  const elsewhere = delivering.filter((bundle) => bundle.may_show && !isHere(bundle))
  const namesOf = (bundles: readonly EnvironmentName[]) => bundles.map((bundle) => bundle.name).toSorted()
  const here = new Set(namesOf(delivering.filter(isHere)))
  const fixed = new Set(namesOf(delivering.filter(({ isFixed }) => isFixed)))
  return { here, elsewhere: namesOf(elsewhere), fixed }
}
