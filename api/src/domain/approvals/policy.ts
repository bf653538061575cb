import {
  AGENT_RULES,
  ASSURANCES,
  type Assurance,
  type ChangeBundlePolicy,
  type ChangePolicy,
  isProduction,
  type Policy as PolicySchema,
  type PolicySetting as PolicySettingSchema,
  TOUCHES,
  type TouchRule,
} from '@keyferry/contract'
import type { z } from 'zod'
import type { Stamp } from '../base/stamp.ts'
import type { Bundle } from '../library/bundle.ts'
import { strictestChangers } from '../library/value-rights.ts'
import type { Caller } from '../people/membership.ts'

/*
 * A policy says what an approval takes: how it is bound to the terminal, who may give it, how many people, whether an
 * AI agent may ask, for how long it may be remembered, and whether a key of the approver signs it. The
 * server, the workspace and the bundle can each set rules. Field by field the strictest counts, so an owner of a bundle
 * can tighten what the workspace sets and never loosen it. Members read policies; owners change them.
 */

export type Policy = z.output<typeof PolicySchema>

/** What one place sets; null: nothing. */
export type PolicySetting = z.output<typeof PolicySettingSchema>

export type PolicyChange = z.output<typeof ChangePolicy>

export type BundlePolicyChange = z.output<typeof ChangeBundlePolicy>

export type SetPolicies = { workspace: PolicySetting; bundle: PolicySetting }

/** The reads that an approval is judged by. */
export interface PolicyReads {
  find(tenantId: string, bundleId: string): Promise<SetPolicies>
  /** Of the workspace, and of each bundle that sets rules, by its id. */
  findAll(
    tenantId: string,
  ): Promise<{ workspace: PolicySetting; bundles: ReadonlyMap<string, PolicySetting> }>
  /** Whether any other bundle sets rules. */
  areSetElsewhere(tenantId: string, bundleId: string): Promise<boolean>
  /** What other bundles set, of the secret values that a bundle delivers under these names (null: under any) and shares
   * with them. */
  ofSharedValues(
    tenantId: string,
    bundleId: string,
    names: readonly string[] | null,
  ): Promise<readonly ValueRules[]>
}

export interface PolicyStore extends PolicyReads {
  findTenant(tenantId: string): Promise<PolicySetting>
  /** What bundles set that hold these keys, of those that are secret, by the names of the keys. */
  ofKeys(tenantId: string, keyIds: readonly string[]): Promise<readonly ValueRules[]>
  /** Other bundles that share secret values with a bundle, and how many, by name. */
  sharing(tenantId: string, bundleId: string): Promise<readonly SharingBundle[]>
  /** How the rule `touch` of a bundle, or of the workspace, is about to loosen; null: it is not. */
  loosening(tenantId: string, bundleId: string | null): Promise<Loosening | null>
}

/** A looser rule `touch`, which waits for another owner or for a day. `at`: when an owner asked for it first. */
export type Loosening = { to: TouchRule; by: string; at: string }

/** The changes of rules, in a transaction. */
export interface PolicyRecords {
  /** Ends the bundle's remembered approvals.
   * @throws DomainError not_found */
  changeBundle(change: BundlePolicyChange & { bundleId: string }, stamp: Stamp): Promise<void>
  /** Ends the tenant's remembered approvals. */
  changeTenant(change: PolicyChange, stamp: Stamp): Promise<void>
}

/** What other bundles set, of secret values that they hold too: each set of rules once, because thousands of values can
 * come under the same. `names`: as the bundle in question delivers them. */
export type ValueRules = PolicySetting & { names: readonly string[] }

/** `secrets`: how many secret values it shares. */
type SharingBundle = { bundle: { id: string; name: string }; secrets: number }

/** Hours for which an approval may be remembered where no place sets any. */
const DEFAULT_HOURS = 8

export const NO_RULES: PolicySetting = {
  assurance: null,
  approvers: null,
  people: null,
  changers: null,
  approvals_needed: null,
  agents: null,
  remember_hours: null,
  touch: null,
}

/** A bundle that does not exist, and is not for production. */
export const UNNAMED = { name: '', tags: '', production: 'by_name' } as const

/** What says whether a bundle is for production. */
export type ProductionFacts = Pick<Bundle, 'name' | 'tags' | 'production'>

/** The strictest of what the server, the workspace and the bundle set. */
export function effectivePolicy(
  server: Assurance,
  { workspace, bundle }: SetPolicies,
  named: ProductionFacts,
): Policy {
  const rules = strictestRules([workspace, bundle])
  const hours = hoursOf(workspace.remember_hours, bundle.remember_hours, isProduction(named))
  return {
    assurance: strictest([server, workspace.assurance, bundle.assurance]),
    ...rules,
    remember_hours: hoursUnder(rules, hours),
  }
}

/** Whether an approval of this grade satisfies the other. */
export function isAtLeast(assurance: Assurance, demanded: Assurance): boolean {
  return ASSURANCES.indexOf(assurance) >= ASSURANCES.indexOf(demanded)
}

function strictest(assurances: readonly (Assurance | null)[]): Assurance {
  return ASSURANCES.findLast((assurance) => assurances.includes(assurance)) ?? 'compat'
}

// Nothing is remembered for production unless the bundle itself allows it.
function hoursOf(workspace: number | null, bundle: number | null, isForProduction: boolean): number {
  const own = bundle ?? (isForProduction ? 0 : null)
  if (own === null) return workspace ?? DEFAULT_HOURS
  return Math.min(own, workspace ?? own)
}

// What a person signs is one approval.
function hoursUnder({ touch }: Pick<Policy, 'touch'>, hours: number): number {
  return touch === 'none' ? hours : 0
}

/** The strictest rules of several bundles, field by field. */
export function strictestPolicy(policies: readonly Policy[]): Policy {
  const rules = strictestRules(policies)
  const hours = Math.min(...policies.map(({ remember_hours }) => remember_hours))
  return {
    assurance: strictest(policies.map(({ assurance }) => assurance)),
    ...rules,
    remember_hours: hoursUnder(rules, hours),
  }
}

function strictestRules(places: readonly PolicySetting[]): Omit<Policy, 'assurance' | 'remember_hours'> {
  return {
    approvers: APPROVERS.findLast((rule) => places.some(({ approvers }) => approvers === rule)) ?? 'member',
    people: onAllLists(places),
    changers: strictestChangers(places) ?? 'setter',
    approvals_needed: places.some(({ approvals_needed }) => approvals_needed === 2) ? 2 : 1,
    // A person who can change the files of a remembered command can read its values, so an owner has to allow it.
    agents: AGENT_RULES.findLast((rule) => places.some(({ agents }) => agents === rule)) ?? 'ask',
    touch: strictestTouch(places),
  }
}

/** Whether an approval of an agent's request can be remembered. */
export function remembersAgents({ agents }: Pick<Policy, 'agents'>): boolean {
  return agents === 'remember'
}

/** The strictest of what several places demand. */
export function strictestTouch(places: readonly Pick<PolicySetting, 'touch'>[]): TouchRule {
  return TOUCHES.findLast((rule) => places.some(({ touch }) => touch === rule)) ?? 'none'
}

const APPROVERS = ['member', 'named', 'owner'] as const

function onAllLists(places: readonly Pick<PolicySetting, 'people'>[]): string[] | null {
  const [first, ...others] = places.flatMap(({ people }) => (people === null ? [] : [people]))
  return first?.filter((id) => others.every((people) => people.includes(id))) ?? null
}

export function mayApprove(
  { approvers, people }: Pick<Policy, 'approvers' | 'people'>,
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
): boolean {
  return (approvers !== 'owner' || role === 'owner') && (people === null || people.includes(userId))
}

/** A policy with what other places set, field by field the strictest. */
export function tightened(policy: Policy, places: readonly Partial<PolicySetting>[]): Policy {
  return strictestPolicy([policy, ...places.map((set) => ({ ...policy, ...given(set) }))])
}

function given(set: Partial<PolicySetting>): Partial<Policy> {
  return Object.fromEntries(Object.entries(set).filter(([rule, value]) => rule in NO_RULES && value !== null))
}
