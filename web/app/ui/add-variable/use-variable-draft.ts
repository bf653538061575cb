import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import { looksSecret } from '../../lib/rules/key-names.ts'
import { importOf, type Place, type Places, problemsIn } from '../../lib/rules/variable-draft.ts'

type Problems = { name: string | null; values: ReadonlyMap<string, string>; none: boolean }

const NOWHERE: Place = { kind: 'none' }

/** A variable that is being written, and what is wrong with it. Whether it is secret is guessed until the person
 * decides. */
export function useVariableDraft(given: string, environments: readonly { name: string }[]) {
  const [name, setName] = useState(given)
  const [chosen, setChosen] = useState<Places>(new Map())
  const [decided, decideSecret] = useState<boolean | null>(null)
  const [problems, setProblems] = useState<Problems>({ name: null, values: new Map(), none: false })
  const places: Places = new Map(environments.map((each) => [each.name, chosen.get(each.name) ?? NOWHERE]))
  const values = [...places.values()].flatMap((place) => (place.kind === 'own' ? [place.value] : []))
  const isSecret = decided ?? (name === '' || ['', ...values].some((value) => looksSecret(name, value)))
  const input = () => {
    const asked = importOf({ name, isSecret, places })
    const found = { name: nameProblem(name), values: problemsIn(places), none: asked === null }
    setProblems(found)
    return found.name === null && found.values.size === 0 ? asked : null
  }
  const setPlace = (bundle: string, place: Place) => setChosen(new Map([...chosen, [bundle, place]]))
  const isTyped = name !== given || values.some((value) => value !== '')
  return { name, setName, places, setPlace, isSecret, decideSecret, problems, input, isTyped }
}

function nameProblem(name: string): string | null {
  if (isKeyName(name)) return null
  return name === '' ? 'Give the variable a name.' : 'Use letters, digits and _ only.'
}
