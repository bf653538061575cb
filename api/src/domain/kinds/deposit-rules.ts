import { isProduction } from '@keyferry/contract'
import type { RuledPlace } from '../approvals/approval-grounds.ts'
import { notNamed, type RefusalTexts } from '../approvals/approval-rules.ts'
import { UNNAMED } from '../approvals/policy.ts'
import type { BundleStore } from '../library/bundle.ts'
import type { ImportStep } from '../transfer/library-import-step.ts'

/*
 * Whether a person may approve a deposit, and how. A deposit can change what other bundles deliver, or share a key of
 * theirs into its own bundle, so the strictest rules of all these bundles apply. Otherwise a lure could name a
 * harmless bundle and replace a value of production, or share it into a bundle that needs only a click.
 */

/** `places`: whose rules count. */
export type DepositPlaces = {
  places: RuledPlace[]
  /** Names of other bundles whose values change. */
  changes: string[]
  /** Names of production bundles that the plan writes to. */
  production: string[]
}

type Written = { tenantId: string; bundleName: string; steps: readonly ImportStep[] }

/** The bundles that a deposit writes to or takes a key from. */
export async function placesOf(
  bundles: BundleStore,
  { tenantId, bundleName, steps }: Written,
): Promise<DepositPlaces> {
  const changes = bundlesBeside(steps, 'replace')
  const changed = new Set([bundleName, ...changes])
  const known = await bundles.findNamed(tenantId, [...changed, ...bundlesBeside(steps, 'share')])
  const isNew = !known.some(({ name }) => name === bundleName)
  const places = [...(isNew ? [{ ...UNNAMED, id: null, name: bundleName }] : []), ...known]
  const production = places.filter((place) => changed.has(place.name) && isProduction(place))
  return { places, changes, production: production.map(({ name }) => name) }
}

/** Names of the other bundles that use the keys of these steps. */
function bundlesBeside(steps: readonly ImportStep[], action: 'replace' | 'share'): string[] {
  const taken = steps.filter((step) => step.action === action)
  return [...new Set(taken.flatMap(({ key }) => key?.elsewhere ?? []))].toSorted()
}

/** What a refusal says of a deposit. */
export const DEPOSIT_REFUSALS: RefusalTexts = {
  owner_approves: 'Only an owner may approve deposits for these bundles',
  named_approves: notNamed,
  agents_denied: 'AI agents may not store values in these bundles',
  release_required:
    'Values for these bundles are stored only if the approval returns to the terminal: run the command on this computer, without --no-open',
  second_person: 'Another person must approve this deposit',
}
