import type { Assurance } from '@keyferry/contract'
import {
  type Grounds,
  mustReturn,
  type Refusal,
  refusalOf,
  refused,
  requireAllowed,
} from './approval-rules.ts'
import type { BundleStore } from './bundle.ts'
import type { ImportStep } from './library-import-plan.ts'
import type { Caller } from './membership.ts'
import { effectivePolicy, isProduction, NO_RULES, type PolicyStore, strictestPolicy } from './policy.ts'
import type { ApprovalRequest } from './stored-request.ts'

/*
 * Whether a person may approve a deposit, and how. A deposit can change what other bundles deliver, so the strictest rules of
 * all bundles that it changes count. Otherwise a lure would name a harmless bundle and replace a value of production.
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
  const changes = changedElsewhere(steps)
  const known = await parts.stores.bundles.findNamed(caller.tenantId, [bundleName, ...changes])
  const fresh = known.some(({ name }) => name === bundleName)
    ? []
    : [{ id: null, name: bundleName, tags: '' }]
  const bundles = [...fresh, ...known]
  const policies = await Promise.all(bundles.map((bundle) => policyOf(parts, caller.tenantId, bundle)))
  const policy = strictestPolicy(policies)
  const production = bundles.filter(isProduction).map(({ name }) => name)
  return { policy, request, caller, first: null, returned: null, changes, production }
}

function changedElsewhere(steps: readonly ImportStep[]): string[] {
  const replaced = steps.filter(({ action }) => action === 'replace')
  return [...new Set(replaced.flatMap(({ key }) => key?.elsewhere ?? []))].toSorted()
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

const TEXTS: Readonly<Record<Refusal['code'], string>> = {
  owner_approves: 'Only an owner may approve deposits for these bundles',
  agents_denied: 'AI agents may not store values in these bundles',
  release_required:
    'Values for these bundles are stored only if the approval returns to the terminal: run the command on this computer, without --no-open',
  second_person: 'Another person must approve this deposit',
}

/** Why the caller may not approve this deposit at all; null: they may. */
export function depositRefusal(grounds: DepositGrounds): Refusal | null {
  const refusal = refusalOf(grounds)
  return refusal && { code: refusal.code, error: TEXTS[refusal.code] }
}

/** @throws DomainError release_required · owner_approves · agents_denied · invalid (a way that the client does not offer) */
export function requireDepositAllowed(
  grounds: DepositGrounds,
  choice: Parameters<typeof requireAllowed>[1],
): void {
  const refusal = depositRefusal(grounds)
  if (refusal) throw refused(refusal)
  if (choice.release === undefined && mustReturn(grounds)) {
    throw refused({ code: 'release_required', error: TEXTS.release_required })
  }
  requireAllowed(grounds, choice)
}
