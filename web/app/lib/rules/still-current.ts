import type { Holding } from '../calls/answers.ts'

/** The keys whose current value is among what was given, or may be, each once. */
export function stillCurrent(holdings: readonly Holding[]): Holding['key'][] {
  const current = holdings.filter(
    ({ version, perhaps_version, key }) => version === key.version || perhaps_version === key.version,
  )
  return [...new Map(current.map(({ key }) => [key.id, key])).values()]
}
