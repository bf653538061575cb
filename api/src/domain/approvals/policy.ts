import { isDeepStrictEqual } from 'node:util'
import {
  AGENT_RULES,
  ASSURANCES,
  type Assurance,
  type ChangeBundlePolicy,
  type ChangePolicy,
  isProduction,
  type Policy as PolicySchema,
  type PolicySetting as PolicySettingSchema,
  TASK_RULES,
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
 * AI agent may ask, for how long it may be remembered or count for a task, and whether a key of the approver signs it.
 * The server, the workspace, the folders in the bundle's name and the bundle can each set rules. Field by field the
 * strictest counts, so a bundle can tighten what is above it and never loosen it. Members read policies; owners change
 * them.
 */

export type Policy = z.output<typeof PolicySchema>

/** What one place sets; null: nothing. `named`: of `people`, with the members of groups for the groups. */
export type PolicySetting = z.output<typeof PolicySettingSchema> & { named?: string[] }

export type PolicyChange = z.output<typeof ChangePolicy>

export type BundlePolicyChange = z.output<typeof ChangeBundlePolicy>

/** `folders`: what the folders set that the bundle is in. */
export type SetPolicies = {
  workspace: PolicySetting
  folders: readonly PolicySetting[]
  bundle: PolicySetting
}

/** `areElsewhere`: whether another bundle, or a folder, may set rules. */
export type BundleRules = SetPolicies & { areElsewhere: boolean }

/** What all places of a workspace set that set anything: folders by their name, bundles by their id. */
export type AllPolicies = {
  workspace: PolicySetting
  folders: ReadonlyMap<string, PolicySetting>
  bundles: ReadonlyMap<string, PolicySetting>
}

/** A place whose rules can be changed; null: the workspace. */
export type RulesAt = { bundleId: string } | { folder: string } | null

/** The reads that an approval is judged by. */
export interface PolicyReads {
  find(tenantId: string, bundleId: string): Promise<BundleRules>
  findAll(tenantId: string): Promise<AllPolicies>
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
  /** As `findAll`, with the rules that keys kept. */
  findPlaces(tenantId: string): Promise<AllPolicies>
  /** All bundles of a workspace, by name. */
  bundles(tenantId: string): Promise<readonly (ProductionFacts & { id: string })[]>
  /** What bundles set that contain these keys, of those that are secret, by the names of the keys. */
  ofKeys(tenantId: string, keyIds: readonly string[]): Promise<readonly ValueRules[]>
  /** The names of these keys, by id. */
  keyNames(tenantId: string, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Other bundles that share secret values with a bundle, by name. `secrets`: how many. */
  sharing(
    tenantId: string,
    bundleId: string,
  ): Promise<readonly { bundle: { id: string; name: string }; secrets: number }[]>
}

/** The changes of rules, in a transaction. */
export interface PolicyRecords {
  /** Ends the remembered approvals of the place. Only a bundle has `production`.
   * @throws DomainError not_found: there is no such bundle */
  change(at: RulesAt, change: BundlePolicyChange, stamp: Stamp): Promise<void>
}

/** What other bundles set, of secret values that they contain too: each set of rules once, because thousands of values
 * can come under the same. `names`: as the bundle in question delivers them. */
export type ValueRules = PolicySetting & { names: readonly string[] }

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
  tasks: null,
  touch: null,
}

/** A bundle that does not exist, is in no folder, and is not for production. */
export const UNNAMED = { name: '', tags: '', production: 'by_name' } as const

/** What says whether a bundle is for production. */
export type ProductionFacts = Pick<Bundle, 'name' | 'tags' | 'production'>

/** The strictest of what the server, the workspace, the folders and the bundle set. */
export function effectivePolicy(
  server: Assurance,
  { workspace, folders, bundle }: SetPolicies,
  named: ProductionFacts,
): Policy {
  const over = workspaceOver(strictestSetting([...folders, bundle]), workspace, named)
  const all = limitBy(server, { workspace: over, folders, bundle })
  return policyOf(all, all.remember_hours ?? DEFAULT_HOURS)
}

// For production, only the bundle or a folder over it can let approvals be remembered or count for a task.
function workspaceOver(own: PolicySetting, workspace: PolicySetting, named: ProductionFacts): PolicySetting {
  if (!isProduction(named)) return workspace
  const remember_hours = own.remember_hours === null ? 0 : workspace.remember_hours
  return { ...workspace, remember_hours, tasks: own.tasks === null ? 'none' : workspace.tasks }
}

/** The strictest of what is set. */
export function limitBy(server: Assurance, { workspace, folders, bundle }: SetPolicies): PolicySetting {
  return strictestSetting([workspace, ...folders, bundle, { ...NO_RULES, assurance: server }])
}

/** Whether a bundle is in a folder, by the whole parts of its name, in any case. */
export function isIn(folder: string, bundleName: string): boolean {
  return bundleName.toLowerCase().startsWith(folder.toLowerCase())
}

/** Where the rules are that a secret kept, as if it were in a folder of its own. */
export function keyPlace(keyId: string): string {
  return `key/${keyId}/`
}

/** The id of the key whose place this is; null: a folder of bundles. */
export function keyAt(folder: string | null): string | null {
  const [start, id, ...rest] = folder?.split('/') ?? []
  return start === 'key' && rest.length === 1 ? (id ?? null) : null
}

/** Of many folders, those that a bundle is in. */
export function foldersOver<Folder>(
  folders: readonly Folder[],
  nameOf: (folder: Folder) => string,
): (bundleName: string) => Folder[] {
  const known = Map.groupBy(folders, (folder) => nameOf(folder).toLowerCase())
  return (name) => startsOf(name).flatMap((start) => known.get(start) ?? [])
}

/** Whether a folder is over one of these bundles. */
export function isOver(bundleNames: readonly string[]): (folder: string) => boolean {
  const starts = new Set(bundleNames.flatMap(startsOf))
  return (folder) => starts.has(folder.toLowerCase())
}

// A folder ends with a slash.
function startsOf(bundleName: string): string[] {
  const parts = bundleName.toLowerCase().split('/')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}

type Folders = AllPolicies['folders']

// Made once for each read of all rules, which asks for up to 10,000 bundles.
const overIn = new WeakMap<Folders, (bundleName: string) => (readonly [string, PolicySetting])[]>()

/** What counts for a bundle, or for one that does not exist yet (`id`: null). */
export function policiesFor(
  { workspace, folders, bundles }: AllPolicies,
  { id, name }: { id: string | null; name: string },
): SetPolicies {
  const over = overIn.get(folders) ?? foldersOver([...folders], ([folder]) => folder)
  overIn.set(folders, over)
  return { workspace, folders: over(name).map(([, set]) => set), bundle: bundles.get(id ?? '') ?? NO_RULES }
}

/** What a bundle, or its duplicate, sets after it leaves folders. What they demanded goes with it unless its new place
 * demands as much: otherwise another name would be a way around the rules. An owner loosens them there.
 * @param own what the bundle sets
 * @param workspace what the workspace sets
 * @param to the new place */
export function rulesTaken(
  own: PolicySetting,
  { left, entered, workspace }: Record<'left' | 'entered', readonly PolicySetting[]> & Above,
  to: ProductionFacts,
): PolicySetting {
  const before = counting({ set: strictestSetting([own, ...left]), named: to }, workspace)
  const after = counting({ set: strictestSetting([own, ...entered]), named: to }, workspace)
  const below = fieldsBelow(before, after)
  const stay = Object.entries(own).filter(([rule]) => !below.includes(rule))
  return { ...before, people: listTaken([own, ...left]), ...Object.fromEntries(stay) }
}

// Where one list names nobody beyond the others, its groups stay groups, so who leaves one leaves the rule.
function listTaken(places: readonly PolicySetting[]): string[] | null {
  const all = onAllLists(places)
  const whole = places.find(({ people, named = people }) => named?.every((id) => all?.includes(id)))
  return whole ? whole.people : all
}

/** In which fields a place demands less after a change. */
export function loosened(before: NamedSetting, after: NamedSetting, { workspace }: Above): string[] {
  return fieldsBelow(counting(before, workspace), counting(after, workspace))
}

/** What the workspace sets above a place. */
type Above = { workspace: PolicySetting }

/** What a place sets, and whether it is production. */
type NamedSetting = { set: PolicySetting; named: ProductionFacts }

/** What a value keeps of the rules that were over it; null: those that are over it now demand as much. */
export function keptOf(
  was: readonly PolicySetting[],
  is: readonly PolicySetting[],
  { workspace }: Above,
): PolicySetting | null {
  const before = strictestSetting(was)
  const below = fieldsBelow(before, counting({ set: strictestSetting(is), named: UNNAMED }, workspace))
  return below.length === 0 ? null : { ...before, people: listTaken(was) }
}

function fieldsBelow(before: PolicySetting, after: PolicySetting): string[] {
  const [both, is] = [strictestSetting([before, after]), after].map(({ named, ...set }) => {
    const people = (named ?? set.people)?.toSorted() ?? null
    return { ...policyOf({ ...set, people }, 0), remember_hours: set.remember_hours, tasks: set.tasks }
  })
  return Object.keys(NO_RULES).filter((rule) => !isDeepStrictEqual(ruleOf(both, rule), ruleOf(is, rule)))
}

// A place, and the workspace above it, can set less than the default. Such a field asks for nothing.
function counting({ set, named }: NamedSetting, workspace: PolicySetting): PolicySetting {
  const all = strictestSetting([set, workspaceOver(set, workspace, named)])
  const { changers, agents } = policyOf(all, 0)
  const { remember_hours, tasks } = all
  const again = { remember_hours: remember_hours ?? DEFAULT_HOURS, tasks: tasks ?? ('none' as const) }
  return { ...set, changers, agents, ...again }
}

function ruleOf(set: object | undefined, rule: string): unknown {
  return Object.entries(set ?? {}).find(([name]) => name === rule)?.[1]
}

/** Whether an approval of this grade satisfies the other. */
export function isAtLeast(assurance: Assurance, demanded: Assurance): boolean {
  return ASSURANCES.indexOf(assurance) >= ASSURANCES.indexOf(demanded)
}

/** The strictest rules of several bundles, field by field. */
export function strictestPolicy(policies: readonly Policy[]): Policy {
  const all = strictestSetting(policies)
  return policyOf(all, all.remember_hours ?? 0)
}

/** The strictest of what several places set, field by field; null: none of them sets it. */
function strictestSetting(places: readonly PolicySetting[]): PolicySetting {
  const hours = places.flatMap(({ remember_hours }) => remember_hours ?? [])
  return {
    assurance: ASSURANCES.findLast((rule) => places.some(({ assurance }) => assurance === rule)) ?? null,
    approvers: APPROVERS.findLast((rule) => places.some(({ approvers }) => approvers === rule)) ?? null,
    people: onAllLists(places),
    changers: strictestChangers(places) ?? null,
    approvals_needed: NEEDED.findLast((rule) => places.some((set) => set.approvals_needed === rule)) ?? null,
    agents: AGENT_RULES.findLast((rule) => places.some(({ agents }) => agents === rule)) ?? null,
    remember_hours: hours.length === 0 ? null : Math.min(...hours),
    tasks: TASK_RULES.findLast((rule) => places.some(({ tasks }) => tasks === rule)) ?? null,
    touch: places.every(({ touch }) => touch === null) ? null : strictestTouch(places),
  }
}

// A person who can change the files of a remembered command can read its values, so an owner has to allow that agents
// are remembered. What a person signs is one approval.
function policyOf(set: PolicySetting, hours: number): Policy {
  const touch = set.touch ?? 'none'
  const remember_hours = touch === 'none' ? hours : 0
  const mayLast = remember_hours > 0 && set.approvals_needed !== 2
  return {
    assurance: set.assurance ?? 'compat',
    approvers: set.approvers ?? 'member',
    people: set.people,
    changers: set.changers ?? 'setter',
    approvals_needed: set.approvals_needed ?? 1,
    agents: set.agents ?? 'ask',
    remember_hours,
    tasks: mayLast && set.tasks === 'allow' ? 'allow' : 'none',
    touch,
  }
}

/** The strictest of what several places demand. */
export function strictestTouch(places: readonly Pick<PolicySetting, 'touch'>[]): TouchRule {
  return TOUCHES.findLast((rule) => places.some(({ touch }) => touch === rule)) ?? 'none'
}

const APPROVERS = ['member', 'named', 'owner'] as const
const NEEDED = [1, 2] as const

function onAllLists(places: readonly Pick<PolicySetting, 'people' | 'named'>[]): string[] | null {
  const [first, ...others] = places.flatMap(({ people, named = people }) => (named === null ? [] : [named]))
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
