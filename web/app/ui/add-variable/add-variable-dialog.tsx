import { isKeyName } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import { isProduction } from '@keyferry/contract/production'
import { applicationOf, compareEnvironments, environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import type { Bundle, ImportRequest } from '../../lib/calls/answers.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer, useSteps } from '../../lib/calls/use-call.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import {
  type BundleValue,
  type BundleValues,
  importOf,
  placesUsed,
  problemsIn,
} from '../../lib/rules/variable-draft.ts'
import { joined } from '../../lib/words/counted.ts'
import { FormDialog } from '../dialog-form.tsx'
import { SecretChoice } from '../secret-choice.tsx'
import { Rows } from '../section.tsx'
import { TextField } from '../text-field.tsx'
import { notify } from '../toast-store.ts'
import { importUnchanged, useTakingBack } from '../use-taking-back.ts'
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
  const { environments, production } = useEnvironments(bundle, among)
  const draft = useVariableDraft(given, environments)
  const { name, isSecret, problems, having } = draft
  const { refetch } = useLibrary()
  const change = useSteps((asked: ImportRequest) => importUnchanged(asked, refetch), { refreshes: LIBRARY })
  const used = placesUsed(draft.places)
  const isNew = used.every((place) => !having.here.has(place))
  const shared = used.filter((place) => draft.places.get(place)?.kind === 'same')
  const takeBack = useTakingBack({ names: [name], bundles: used, shared })
  return (
    <FormDialog
      title={`Add variable to ${applicationOf(bundle.name)}`}
      action={`${isNew ? 'Add to' : 'Save in'} ${labelsOf(used, bundle.name)}`}
      isProduction={used.some((place) => production.has(place))}
      change={change}
      input={draft.input}
      unsaved={draft.isTyped}
      onDone={() => {
        onClose()
        const where = used.join(', ')
        if (isNew) notify({ text: `Added ${name} to ${where}.`, undo: takeBack })
        else notify({ text: `Saved ${name} in ${where}.` })
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
      <Values environments={environments} {...draft} />
    </FormDialog>
  )
}

const shortName = (name: string) => environmentOf(name) || name

/** `dev and staging`, or `4 environments`. */
function labelsOf(names: readonly string[], fallback: string): string {
  if (names.length === 0) return shortName(fallback)
  return names.length > 3 ? `${names.length} environments` : joined(names.map(shortName), 'and')
}

type ValuesProps = ReturnType<typeof useVariableDraft> & { environments: readonly EnvironmentName[] }

function Values({ environments, places, sources, isSecret, problems, having, setPlace }: ValuesProps) {
  const { here, fixed } = having
  return (
    <fieldset>
      <legend className="sr-only">Value</legend>
      <Rows>
        {environments.map(({ id, name }) => (
          <EnvironmentRow
            key={id}
            bundleName={name}
            place={places.get(name) ?? { kind: 'none' }}
            hasIt={here.has(name)}
            isFixed={fixed.has(name)}
            sources={[...sources].filter((other) => other !== name)}
            isSecret={isSecret}
            problem={problems.values.get(name) ?? null}
            onChange={(place) => setPlace(name, place)}
          />
        ))}
      </Rows>
      {problems.none && (
        <p role="alert" className="mt-2 text-sm font-medium">
          Type a value.
        </p>
      )}
    </fieldset>
  )
}

type VariableProblems = { name: string | null; values: ReadonlyMap<string, string>; none: boolean }

const NOWHERE: BundleValue = { kind: 'none' }

/** A variable that is being written, and what is wrong with it. It is secret unless the person says otherwise. */
function useVariableDraft(given: string, environments: readonly EnvironmentName[]) {
  const [name, setName] = useState(given)
  const [chosen, setChosen] = useState<BundleValues>(new Map())
  const [isSecret, setSecret] = useState(true)
  const [problems, setProblems] = useState<VariableProblems>({ name: null, values: new Map(), none: false })
  const having = useHaving(name, environments)
  const typed = [...chosen].flatMap(([bundle, { kind }]) => (kind === 'own' ? [bundle] : []))
  const sources = new Set([...typed, ...having.here.keys(), ...having.elsewhere])
  // What shares a value that was deleted again has none either, until there is one.
  const placeOf = (bundle: string) => {
    const place = chosen.get(bundle) ?? NOWHERE
    return place.kind === 'same' && !sources.has(place.as) ? NOWHERE : place
  }
  const places: BundleValues = new Map(environments.map((each) => [each.name, placeOf(each.name)]))
  const values = [...places.values()].flatMap((place) => (place.kind === 'own' ? [place.value] : []))
  const input = () => {
    const asked = importOf({ name, isSecret, places, here: having.here })
    const found = { name: nameProblem(name), values: problemsIn(places), none: asked === null }
    setProblems(found)
    return found.name === null && found.values.size === 0 ? asked : null
  }
  const setPlace = (bundle: string, place: BundleValue) => setChosen(new Map([...chosen, [bundle, place]]))
  const isTyped = name !== given || values.some((value) => value !== '')
  return { name, setName, places, sources, having, setPlace, isSecret, setSecret, problems, input, isTyped }
}

function nameProblem(name: string): string | null {
  if (isKeyName(name)) return null
  return name === '' ? 'Give the variable a name.' : 'Use letters, digits and _ only.'
}

type EnvironmentName = { id: string; name: string }

/** The bundles that a variable may be for: the environments of the application, and those on the page beside them. */
function useEnvironments(bundle: EnvironmentName, among: readonly EnvironmentName[]) {
  const mine = (useAnswer('listBundles', {}).data ?? []).filter(({ may_edit }) => may_edit)
  const ids = new Set([...among, ...siblingsOf(bundle.name, mine)].map(({ id }) => id))
  const chosen: Bundle[] = mine
    .filter(({ id }) => ids.has(id))
    .toSorted((a, b) => compareEnvironments(environmentOf(a.name), environmentOf(b.name)))
    .slice(0, LIMITS.comparedBundles)
  return {
    environments: chosen.length === 0 ? [bundle] : chosen,
    production: new Set(chosen.filter(isProduction).map(({ name }) => name)),
  }
}

/** The bundles that deliver a name: among `environments`, with the version of its value, and others whose key the
 * person may put into them. `fixed`: those whose value the person may not replace. */
function useHaving(name: string, environments: readonly EnvironmentName[]) {
  const may = useMay()
  const delivering = (useLibrary().data ?? []).flatMap(({ bundles = [], may_show, may_change, version }) => {
    const isFixed = !may_change || (bundles.length > 1 && !may('splitKey'))
    return bundles
      .filter(({ as }) => as === name)
      .map((bundle) => ({ ...bundle, may_show, isFixed, version }))
  })
  const isHere = ({ id }: EnvironmentName) => environments.some((each) => each.id === id)
  const elsewhere = delivering.filter((bundle) => bundle.may_show && !isHere(bundle))
  const namesOf = (bundles: readonly EnvironmentName[]) => bundles.map((bundle) => bundle.name).toSorted()
  const here = new Map(delivering.filter(isHere).map((bundle) => [bundle.name, bundle.version]))
  const fixed = new Set(namesOf(delivering.filter(({ isFixed }) => isFixed)))
  return { here, elsewhere: namesOf(elsewhere), fixed }
}
