import type { Assurance } from '@keyferry/contract'
import { mapInTurns } from '../base/turns.ts'
import { type Caller, type MembershipStore, roleAt } from '../people/membership.ts'
import { reaches } from '../people/reach.ts'
import { gradeOf } from '../requests/request.ts'
import type { OpenRequest, Vouch } from '../requests/stored-request.ts'
import type { Grounds } from './approval-rules.ts'
import {
  effectivePolicy,
  mayApprove,
  type Policy,
  type PolicyStore,
  type ProductionFacts,
  policiesFor,
  strictestPolicy,
  tightened,
  type ValueRules,
} from './policy.ts'

/*
 * What an approval is judged by: the strictest of the rules of every bundle that it concerns, the caller, and who
 * approved before.
 */

export type RuleParts = {
  stores: { policies: PolicyStore; memberships: MembershipStore }
  /** What the server demands of every approval. */
  assurance: Assurance
}

/** A bundle whose rules count. `id`: null for one that does not exist yet; then the workspace's rules count. */
export type RuledPlace = ProductionFacts & { id: string | null }

/** Who asks to approve which request. */
export type OpenCall = { caller: Caller; stored: OpenRequest }

/** `places`: the bundle of a first approval comes first. `people`: 1 where one approval is enough whatever the rules
 * say. `approvers`: `anyone` where an owner decides afterwards. `rulesOfValues`: of the values that would leave.
 * `keys`: their names, where a vouch can count. */
export type ApprovalScope = {
  places: readonly RuledPlace[]
  people: 'as the rules' | 1
  approvers?: 'anyone'
  rulesOfValues?: () => Promise<readonly ValueRules[]>
  keys?: readonly string[]
}

/** @throws DomainError not_found: the caller was removed since the call was admitted */
export async function groundsOf(
  parts: RuleParts,
  { caller, stored }: OpenCall,
  judged: ApprovalScope,
): Promise<Grounds> {
  const { places, people, approvers, rulesOfValues } = judged
  const assurance = gradeOf(stored.request, parts.assurance)
  const [policies, ofValues = []] = await Promise.all([
    policiesOf({ ...parts, assurance }, caller.tenantId, places),
    rulesOfValues?.(),
  ])
  const own = strictestPolicy(policies)
  const strictest = tightened(own, ofValues)
  const policy = {
    ...strictest,
    ...(people === 1 && { approvals_needed: people }),
    ...(approvers === 'anyone' && { approvers: 'member' as const, people: null }),
  }
  const needsTwo = policy.approvals_needed === 2
  const { request } = stored
  const vouch = await countedVouch(parts, { caller, stored }, { policy, judged })
  const first = needsTwo && stored.first?.bundleId === places[0]?.id ? stored.first : null
  const isFirst = needsTwo && first === null
  const names = places.map(({ name }) => name)
  const others = isFirst ? await otherApprovers(parts.stores.memberships, caller, { policy, names }) : null
  const isVouched = stored.vouch !== null
  return { policy, own, ofValues, request, caller, isAlone: others?.length === 0, vouch, isVouched, first }
}

// Of this bundle and of the same or more names, by a person who is here still, in a way that the rules accept.
async function countedVouch(
  { stores }: RuleParts,
  { caller, stored: { vouch } }: OpenCall,
  { policy, judged: { places, keys } }: { policy: Policy; judged: ApprovalScope },
): Promise<Vouch | null> {
  if (vouch?.returned == null || keys === undefined) return null
  if (vouch.tenantId !== caller.tenantId || vouch.bundleId !== places[0]?.id || !places[0]) return null
  if (policy.assurance === 'local' && vouch.returned !== 'loopback') return null
  if (!keys.every((name) => vouch.keys.includes(name))) return null
  return (await roleAt(stores.memberships, vouch, places[0].name)) === null ? null : vouch
}

/** The rules of each place, in the same order. */
async function policiesOf(
  { stores: { policies }, assurance }: RuleParts,
  tenantId: string,
  places: readonly RuledPlace[],
): Promise<Policy[]> {
  const [only, ...others] = places
  if (only?.id && others.length === 0)
    return [effectivePolicy(assurance, await policies.find(tenantId, only.id), only)]
  const all = await policies.findAll(tenantId)
  return mapInTurns(places, (place) => effectivePolicy(assurance, policiesFor(all, place), place))
}

/** Names of the other people of the tenant who may approve requests with this policy for bundles of these names. */
export async function otherApprovers(
  memberships: MembershipStore,
  { userId, tenantId }: Caller,
  { policy, names }: { policy: Pick<Policy, 'approvers' | 'people'>; names: readonly string[] },
): Promise<string[]> {
  const people = await memberships.listActive(tenantId)
  const others = people.filter(
    (person) =>
      person.userId !== userId &&
      mayApprove(policy, person) &&
      names.every((name) => reaches(person.reach, name)),
  )
  return others.map(({ username }) => username)
}
