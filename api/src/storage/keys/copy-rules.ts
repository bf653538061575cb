import type { Assurance } from '@keyferry/contract'
import { type Policy, tightened } from '../../domain/approvals/policy.ts'
import { copyRulesOf, rulesOfNames } from '../../domain/approvals/value-rules.ts'
import type { ImportReading } from '../../domain/transfer/library-import.ts'
import type { ImportLibrary } from '../../domain/transfer/library-import-step.ts'
import type { Query } from '../base/queries.ts'
import { ofKeys, policyOfBundle } from '../bundles/policies.ts'
import { programs } from '../programs/programs.ts'
import type { SourceBundles } from './found-keys.ts'

type CopyTarget = { tenantId: string; bundleId: string | null; assurance: Assurance }
type CopySources = {
  wanted: ImportReading['sources']
  sources: ImportLibrary['sources']
  bundleIds: SourceBundles
}

/** Who may copy the secrets that an import takes from other bundles, by name. The rules of all bundles that contain a
 * secret count, also of bundles out of the caller's reach. */
export async function readCopyRules(
  query: Query,
  to: CopyTarget,
  from: CopySources,
): Promise<ImportLibrary['copyRules']> {
  const secrets = [...from.sources].filter(([, key]) => key.is_secret)
  if (secrets.length === 0) return new Map()
  const ids = secrets.map(([, { id }]) => id)
  const [target, ofBundles, ofHolders] = await Promise.all([
    targetOf(query, to),
    policiesByName(query, to, from),
    ofKeys(query, to.tenantId, ids),
  ])
  const rules = secrets.flatMap(([name, { name: keyName, changers }]) => {
    const ofBundle = ofBundles.get(from.wanted.get(name) ?? '')
    const ofKey = rulesOfNames(ofHolders, new Set([keyName]))
    return ofBundle
      ? [[name, copyRulesOf(tightened(ofBundle, [...ofKey, { changers }]), target)] as const]
      : []
  })
  return new Map(rules)
}

async function targetOf(query: Query, { bundleId, ...place }: CopyTarget) {
  if (bundleId === null) return { own: null, isGiven: false }
  const [own, isGiven] = await Promise.all([
    policyOfBundle(query, { ...place, bundleId }),
    programs.mayGet(query, place.tenantId, bundleId),
  ])
  return { own, isGiven }
}

async function policiesByName(query: Query, { tenantId, assurance }: CopyTarget, { bundleIds }: CopySources) {
  const policies = new Map<string, Policy>()
  for (const [name, bundleId] of bundleIds)
    policies.set(name, await policyOfBundle(query, { tenantId, bundleId, assurance }))
  return policies
}
