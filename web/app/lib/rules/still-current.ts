import type { Holding } from '../calls/answers.ts'

/** A key that was given, and whether what was given, or may have been, is still its value. */
export type GivenKey = Holding['key'] & { isCurrent: boolean }

/** The keys that were given, each once: secrets before the rest, and of each those that are still current first. */
export function givenKeys(holdings: readonly Holding[]): GivenKey[] {
  const keys = new Map<string, GivenKey>()
  for (const { version, perhaps_version, key } of holdings) {
    const isCurrent = version === key.version || perhaps_version === key.version
    keys.set(key.id, { ...key, isCurrent: isCurrent || keys.get(key.id)?.isCurrent === true })
  }
  const rank = ({ isCurrent, is_secret }: GivenKey) => (is_secret ? 0 : 2) + (isCurrent ? 0 : 1)
  return [...keys.values()].toSorted((one, other) => rank(one) - rank(other))
}

/** The keys whose current value is among what was given, or may be, each once. */
export function stillCurrent(holdings: readonly Holding[]): GivenKey[] {
  return givenKeys(holdings).filter(({ isCurrent }) => isCurrent)
}
