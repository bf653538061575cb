import { LIMITS } from '@keyferry/contract/limits'
import { environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import type { Bundle, ComparedCell } from '../../../lib/calls/answers.ts'

/** A bundle as a column; `label`: how the page calls it, for example `dev` for `dev/web`. */
export type EnvironmentColumn = Bundle & { label: string }

/** A variable in one environment. */
export type EntryAt = { bundle: EnvironmentColumn; name: string; cell: ComparedCell }

/** The other environment whose value a variable takes, and what it has. */
export type TakenFrom = { from: EnvironmentColumn; source: ComparedCell }

/** The environments of a bundle's application, and the other bundles that the address asks for beside them. */
export function environmentsOf(
  name: string,
  bundles: readonly Bundle[],
  besides: readonly string[],
): EnvironmentColumn[] {
  const own = siblingsOf(name, bundles).map((bundle) => ({
    ...bundle,
    label: environmentOf(bundle.name) || bundle.name,
  }))
  const known = new Set(own.map(({ id }) => id))
  const others = bundles.filter((bundle) => besides.includes(bundle.name) && !known.has(bundle.id))
  return [...own, ...others.map((bundle) => ({ ...bundle, label: bundle.name }))].slice(
    0,
    LIMITS.comparedBundles,
  )
}
