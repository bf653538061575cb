import type { Holding, TypedValue } from '../calls/answers.ts'

/** A key whose value a person or a program knows, or may know. `isCurrent`: it has not changed since. `isTyped`: they
 * typed or imported it. */
export type GivenKey = Holding['key'] & { isCurrent: boolean; isTyped: boolean }

/** What was delivered, and what the person typed. */
export type Known = Pick<Holding, 'version' | 'perhaps_version' | 'key'> | TypedValue

/** The keys that were given or typed, each once: secrets before the rest, and of each those that are still current
 * first. */
export function givenKeys(known: readonly Known[]): GivenKey[] {
  const keys = new Map<string, GivenKey>()
  for (const value of known) {
    const { version, key } = value
    const perhaps = 'perhaps_version' in value ? value.perhaps_version : null
    const before = keys.get(key.id)
    const isCurrent = version === key.version || perhaps === key.version || before?.isCurrent === true
    const isTyped = !('perhaps_version' in value) || before?.isTyped === true
    keys.set(key.id, { ...key, isCurrent, isTyped })
  }
  const rank = ({ isCurrent, is_secret }: GivenKey) => (is_secret ? 0 : 2) + (isCurrent ? 0 : 1)
  return [...keys.values()].toSorted((one, other) => rank(one) - rank(other))
}

/** The keys whose current value is among what was given, or may be, each once. */
export function stillCurrent(known: readonly Known[]): GivenKey[] {
  return givenKeys(known).filter(({ isCurrent }) => isCurrent)
}
