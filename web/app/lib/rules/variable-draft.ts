import type { ImportRequest } from '../calls/answers.ts'
import { valueProblem } from './value-warnings.ts'

/** How one bundle gets a new variable: not at all, a value of its own, or the key that the bundle `as` has. */
export type BundleValue = { kind: 'none' } | { kind: 'own'; value: string } | { kind: 'same'; as: string }

/** By the names of the bundles, in their order. */
export type BundleValues = ReadonlyMap<string, BundleValue>

type VariableChange = {
  name: string
  isSecret: boolean
  places: BundleValues
  /** The bundles that have the name, with the version of its value. */
  here: ReadonlyMap<string, number>
}

/** One call that makes the variable in all of its bundles; null if it is for none. A bundle that uses the key of
 * another comes after that one has it. In the bundles of `here`, it stays secret or readable. */
export function importOf({ name, isSecret, places, here }: VariableChange): ImportRequest | null {
  const markOf = (bundle: string) => (here.has(bundle) ? {} : { is_secret: isSecret })
  const seenIn = (bundle: string) => {
    const version = here.get(bundle)
    return version === undefined ? [] : [{ name, version }]
  }
  const own = [...places].flatMap(([bundle, place]) =>
    place.kind === 'own'
      ? [
          {
            bundle,
            entries: [{ name, value: place.value, ...markOf(bundle) }],
            own: [name],
            seen: seenIn(bundle),
          },
        ]
      : [],
  )
  const same = [...places].flatMap(([bundle, place]) =>
    place.kind === 'same' ? [{ bundle, entries: [{ name, from: place.as }], seen: [] }] : [],
  )
  const [first, ...also] = [...own, ...same]
  return first === undefined ? null : { ...first, also }
}

/** What is wrong with the values, by bundle. */
export function problemsIn(places: BundleValues): ReadonlyMap<string, string> {
  return new Map(
    [...places].flatMap(([bundle, place]) => {
      const problem = place.kind === 'own' ? valueProblem(place.value) : null
      return problem === null ? [] : [[bundle, problem]]
    }),
  )
}

/** The bundles that get the variable. */
export function placesUsed(places: BundleValues): string[] {
  return [...places].flatMap(([bundle, { kind }]) => (kind === 'none' ? [] : [bundle]))
}
