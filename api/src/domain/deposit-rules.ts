import type { Assurance } from '@keyferry/contract'
import type { Grounds, RefusalTexts } from './approval-rules.ts'
import type { BundleStore } from './bundle.ts'
import type { ImportStep } from './library-import-step.ts'
import type { Caller } from './membership.ts'
import { effectivePolicy, isProduction, NO_RULES, type PolicyStore, strictestPolicy } from './policy.ts'
import type { ApprovalRequest } from './stored-request.ts'

/*
 * Whether a person may approve a deposit, and how. A deposit can change what other bundles deliver, or share a key of theirs
 * into its own bundle, so the strictest rules of all these bundles apply. Otherwise a lure could name a harmless bundle and
 * replace a value of production, or share it into a bundle that needs only a click.
 */

export type RuleParts = {
  stores: { bundles: BundleStore; policies: PolicyStore }
  /** What the server demands of every approval. */
  assurance: Assurance
}

export type DepositGrounds = Grounds & {
  /** Names of other bundles whose values change. */
  changes: string[]
  /** Names of production bundles that the plan writes to. */
  production: string[]
}

type Judged = { caller: Caller; request: ApprovalRequest; bundleName: string; steps: readonly ImportStep[] }

/** What the rules are judged by. */
export async function depositGrounds(parts: RuleParts, judged: Judged): Promise<DepositGrounds> {
  const { caller, request, bundleName, steps } = judged
  const changes = bundlesBeside(steps, 'replace')
  const changed = new Set([bundleName, ...changes])
  const ruling = [...changed, ...bundlesBeside(steps, 'share')]
  const known = await parts.stores.bundles.findNamed(caller.tenantId, ruling)
  const fresh = known.some(({ name }) => name === bundleName)
    ? []
    : [{ id: null, name: bundleName, tags: '' }]
  const bundles = [...fresh, ...known]
  const policies = await Promise.all(bundles.map((bundle) => policyOf(parts, caller.tenantId, bundle)))
  const policy = strictestPolicy(policies)
  const production = bundles
    .filter((bundle) => changed.has(bundle.name) && isProduction(bundle))
    .map(({ name }) => name)
  return { policy, request, caller, first: null, returned: null, isAlone: false, changes, production }
}

/** Names of the other bundles that use the keys of these steps. */
function bundlesBeside(steps: readonly ImportStep[], action: 'replace' | 'share'): string[] {
  const taken = steps.filter((step) => step.action === action)
  return [...new Set(taken.flatMap(({ key }) => key?.elsewhere ?? []))].toSorted()
}

async function policyOf(
  { stores, assurance }: RuleParts,
  tenantId: string,
  bundle: { id: string | null; name: string; tags: string },
) {
  const set =
    bundle.id === null
      ? { workspace: await stores.policies.findTenant(tenantId), bundle: NO_RULES }
      : await stores.policies.find(tenantId, bundle.id)
  return effectivePolicy(assurance, set, bundle)
}

/** What a refusal says of a deposit. */
export const DEPOSIT_REFUSALS: RefusalTexts = {
  owner_approves: 'Only an owner may approve deposits for these bundles',
  agents_denied: 'AI agents may not store values in these bundles',
  release_required:
    'Values for these bundles are stored only if the approval returns to the terminal: run the command on this computer, without --no-open',
  second_person: 'Another person must approve this deposit',
}
