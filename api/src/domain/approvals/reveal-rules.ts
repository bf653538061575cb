import { DomainError } from '../base/errors.ts'
import { findBundle } from '../library/bundle.ts'
import { bundleEntries } from '../library/bundle-entry.ts'
import { findKey, type KeyStore } from '../library/key.ts'
import type { Caller, MembershipStore } from '../people/membership.ts'
import { otherApprovers } from './approval-grounds.ts'
import { whyNotBy } from './approval-rules.ts'
import { effectivePolicy, NO_RULES, type Policy, tightened, UNNAMED, type ValueRules } from './policy.ts'
import { type AssuranceParts, namesRefused, readingRefused, rulesOfValues } from './value-rules.ts'

/*
 * A server that is set to reveal shows secret values without an approval. What the rules say of who approves counts
 * there too: a value that only owners or named people may approve is shown to nobody else, and one that two people must
 * approve to nobody.
 */

type RevealParts = AssuranceParts & { stores: { memberships: MembershipStore; keys: KeyStore } }

/** @throws DomainError not_found · owner_approves, named_approves, second_person (`details.names`) */
export async function requireMayReadBundle(
  parts: RevealParts,
  caller: Caller,
  bundleId: string,
): Promise<void> {
  const { stores, assurance } = parts
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const entries = await bundleEntries(stores, place, 'none')
  const names = entries.filter(({ is_secret }) => is_secret).map(({ name }) => name)
  const set = await stores.policies.find(caller.tenantId, bundle.id)
  const own = effectivePolicy(assurance, set, bundle)
  const ofValues = await rulesOfValues(stores, place, names, set)
  await requireReader(parts, caller, { own, names, ofValues })
}

/** @throws DomainError not_found · owner_approves, named_approves, second_person (`details.names`) */
export async function requireMayReadKey(parts: RevealParts, caller: Caller, keyId: string): Promise<void> {
  const { stores, assurance } = parts
  const { name, is_secret } = await findKey(stores.keys, caller, keyId)
  if (!is_secret) return
  const workspace = await stores.policies.findTenant(caller.tenantId)
  const ofValues = await stores.policies.ofKeys(caller.tenantId, [keyId])
  const own = effectivePolicy(assurance, { workspace, folders: [], bundle: NO_RULES }, UNNAMED)
  await requireReader(parts, caller, { own, names: [name], ofValues })
}

/** `own`: the rules of all these secrets; `ofValues`: those of some. */
type Read = { own: Policy; names: readonly string[]; ofValues: readonly ValueRules[] }

async function requireReader({ stores }: RevealParts, caller: Caller, { own, names, ofValues }: Read) {
  const policy = tightened(own, ofValues)
  const code = whyNotBy(policy, caller) ?? (policy.approvals_needed === 2 ? 'second_person' : null)
  if (names.length === 0) return
  if (policy.touch !== 'none')
    throw new DomainError('forbidden', 'A person signs each approval of these values: request a delivery')
  if (code === null) return
  const some = namesRefused(code, ofValues, own)
  const refused = some.length > 0 ? some : names
  const who = await otherApprovers(stores.memberships, caller, { policy, names: [] })
  throw new DomainError(code, readingRefused(code, refused, who), { details: { names: refused } })
}
