import { isDeepStrictEqual } from 'node:util'
import type { Assurance, WhyNotCode } from '@keyferry/contract'
import { listed } from '../base/errors.ts'
import type { BundleStore } from '../library/bundle.ts'
import type { EntryStores } from '../library/bundle-entry.ts'
import type { CopyRules } from '../library/value-rights.ts'
import {
  type BundleRules,
  effectivePolicy,
  isAtLeast,
  mayApprove,
  type Policy,
  type PolicySetting,
  type PolicyStore,
  tightened,
  type ValueRules,
} from './policy.ts'

/*
 * Rules follow the value. A secret value that a bundle shares with another is approved by the strictest of what owners
 * set on all bundles that contain it. The secret parts of a chosen composed value count too, chosen or not. Otherwise a
 * duplicate or a second place would be a way around the rules. Defaults, names and values that are not secret bring no
 * rules along.
 */

type ValuesBundle = { tenantId: string; bundleId: string }

/** The rules that come with the values of a bundle that are delivered under these names.
 * @param known the rules of the bundle, if they were read */
export async function rulesOfValues(
  stores: EntryStores & { policies: PolicyStore },
  place: ValuesBundle,
  names: readonly string[],
  known?: Pick<BundleRules, 'areElsewhere'>,
): Promise<readonly ValueRules[]> {
  const { tenantId, bundleId } = place
  const { areElsewhere } = known ?? (await stores.policies.find(tenantId, bundleId))
  if (!areElsewhere) return []
  const chosen = new Set(names)
  const attached = await stores.attachments.list(tenantId, bundleId, 'none')
  const composed = attached.flatMap(({ name, templateParts: parts }) =>
    parts !== null && chosen.has(name) ? [{ name, parts }] : [],
  )
  const sources = new Set([...chosen, ...composed.flatMap(({ parts }) => parts)])
  const rules = await stores.policies.ofSharedValues(tenantId, bundleId, [...sources])
  return rules.map((set) => {
    const covered = new Set(set.names)
    const ofParts = composed.filter(({ parts }) => parts.some((part) => covered.has(part)))
    const all = new Set([...set.names, ...ofParts.map(({ name }) => name)])
    return { ...set, names: [...chosen].filter((name) => all.has(name)) }
  })
}

/** The same rules, of these names only. */
export function rulesOfNames(rules: readonly ValueRules[], names: ReadonlySet<string>): ValueRules[] {
  const ofNames = rules.map((set) => ({ ...set, names: set.names.filter((name) => names.has(name)) }))
  return ofNames.filter((set) => set.names.length > 0)
}

export type AssuranceParts = {
  stores: EntryStores & { bundles: BundleStore; policies: PolicyStore }
  /** What the server demands of every approval. */
  assurance: Assurance
}

/** What the rules demand of an approval of these names of a bundle; null: the bundle is gone. */
export async function policyNow(
  { stores, assurance }: AssuranceParts,
  place: ValuesBundle,
  names: readonly string[],
): Promise<Policy | null> {
  const found = await ownRules({ stores, assurance }, place)
  return found && tightened(found.own, await rulesOfValues(stores, place, names, found.set))
}

/** The rules of a bundle without those that come with values; null: it is gone. */
async function ownRules(
  {
    stores,
    assurance,
  }: Pick<AssuranceParts, 'assurance'> & { stores: Pick<AssuranceParts['stores'], 'bundles' | 'policies'> },
  { tenantId, bundleId }: ValuesBundle,
): Promise<{ own: Policy; set: BundleRules } | null> {
  const bundle = await stores.bundles.find(tenantId, bundleId)
  if (bundle === null) return null
  const set = await stores.policies.find(tenantId, bundleId)
  return { own: effectivePolicy(assurance, set, bundle), set }
}

/** The secrets for which another bundle demands more than this one: programs that get this bundle get them without
 * an approval.
 * @param keyIds keys that the bundle need not contain yet, told by their own names; undefined: all that it delivers */
export async function stricterForPrograms(
  parts: Parameters<typeof ownRules>[0],
  place: ValuesBundle,
  keyIds?: readonly string[],
): Promise<string[]> {
  const isGiven = await parts.stores.bundles.isGiven(place.tenantId, place.bundleId)
  return isGiven ? stricterElsewhere(parts, place, keyIds) : []
}

/** The secrets for which another bundle demands more than this one: copies of them come under weaker rules here.
 * @param keyIds as for `stricterForPrograms` */
export async function stricterElsewhere(
  parts: Parameters<typeof ownRules>[0],
  place: ValuesBundle,
  keyIds?: readonly string[],
): Promise<string[]> {
  const { policies } = parts.stores
  const found = await ownRules(parts, place)
  if (found === null) return []
  const rules =
    keyIds === undefined
      ? await policies.ofSharedValues(place.tenantId, place.bundleId, null)
      : await policies.ofKeys(place.tenantId, keyIds)
  return namesTightened(rules, found.own)
}

const STRICTER: Readonly<Record<WhyNotCode, (rules: PolicySetting, own: Policy) => boolean>> = {
  release_required: ({ assurance }, own) => assurance !== null && !isAtLeast(own.assurance, assurance),
  owner_approves: ({ approvers }, own) => approvers === 'owner' && own.approvers !== 'owner',
  named_approves: ({ people }, own) => people !== null && !own.people?.every((id) => people.includes(id)),
  agents_denied: ({ agents }, own) => agents === 'deny' && own.agents !== 'deny',
  second_person: ({ approvals_needed }, own) => approvals_needed === 2 && own.approvals_needed !== 2,
}

/** The names whose rules refuse what the bundle's own rules allow. */
export function namesRefused(code: WhyNotCode, rules: readonly ValueRules[], own: Policy): string[] {
  const refused = rules.filter((rule) => STRICTER[code](rule, own))
  return [...new Set(refused.flatMap(({ names }) => names))]
}

/** The names whose rules demand more of an approval than the bundle's own, sorted.
 * @param own with what the server demands of every approval: a rule that it makes anyway is not stricter */
export function namesTightened(rules: readonly ValueRules[], own: Policy): string[] {
  const stricter = rules.filter((rule) => isStricter({ ...rule, changers: null }, own))
  return [...new Set(stricter.flatMap(({ names }) => names))].toSorted()
}

/** Who may copy a secret into a bundle. Programs get the values of a bundle without an approval, so a member must then
 * be able to get the secret by an approval of their own.
 * @param source the rules of the secret
 * @param to `own`: the rules of the bundle; null for a new one. `isGiven`: programs get it */
export function copyRulesOf(source: Policy, to: { own: Policy | null; isGiven: boolean }): CopyRules {
  const isCovered = to.own !== null && !isStricter(source, to.own)
  const isAlone = source.approvals_needed === 1
  return {
    mayPromote: (caller) => isCovered && (!to.isGiven || (isAlone && mayApprove(source, caller))),
    mayCopy: (caller) => isCovered || mayApprove(source, caller),
  }
}

/** Whether rules demand more than a policy in any field. */
function isStricter(rules: PolicySetting, own: Policy): boolean {
  return !isDeepStrictEqual(tightened(own, [rules]), own)
}

const WHY: Readonly<Record<WhyNotCode, string>> = {
  release_required: 'the approval must return to the terminal',
  owner_approves: 'only an owner may approve',
  named_approves: 'only people that it names may approve',
  agents_denied: 'it is not delivered to AI agents',
  second_person: 'two people must approve',
}

const LISTED = 3

/** What a refusal says of values that come under rules of another bundle, which it does not name. */
export function valuesRefused(code: WhyNotCode, names: readonly string[]): string {
  return `A rule of another bundle covers ${listed(names, LISTED)}: ${WHY[code]}. Leave these values out, or follow the rule`
}

/** What a refusal says of values that a person may not read without an approval. `who`: others who may. */
export function readingRefused(code: WhyNotCode, names: readonly string[], who: readonly string[]): string {
  const others = who.length === 0 ? 'Ask an owner to change the rules' : `Ask ${listed(who, LISTED)}`
  const instead = code === 'second_person' ? 'Request a delivery, which two people approve' : others
  return `A rule covers ${listed(names, LISTED)}: ${WHY[code]}. ${instead}`
}
