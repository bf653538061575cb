import { type DepositPlan, isProduction, type PlanDeposit } from '@keyferry/contract'
import type { z } from 'zod'
import type { ApprovalScope, OpenCall, RuledPlace, RuleParts } from '../approvals/approval-grounds.ts'
import { type Grounds, notNamed, type RefusalTexts, shownRules } from '../approvals/approval-rules.ts'
import { UNNAMED } from '../approvals/policy.ts'
import { DomainError } from '../base/errors.ts'
import type { BundleStore } from '../library/bundle.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import { openDeposit } from '../requests/opened-deposit.ts'
import type { RequestParts } from '../requests/request.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import type { DepositKeyStore } from '../transfer/deposit-key.ts'
import { type LibraryImport, type LibraryImportStore, planOf } from '../transfer/library-import.ts'
import {
  choicesOf,
  type FoundKey,
  type ImportChoices,
  type ImportStep,
  makesKey,
  markAfter,
} from '../transfer/library-import-step.ts'

/*
 * What an approval of a deposit would do in the library of the approver's workspace. The plan is that of an import.
 * Values that are not secret are shown before and after; a secret value never leaves this process.
 */

export type PlanParts = RequestParts &
  RuleParts & { stores: { bundles: BundleStore; depositKeys: DepositKeyStore; imports: LibraryImportStore } }

/** How the approver wants entries treated; what is absent is as the client asked. */
export type Treatment = z.output<typeof PlanDeposit>

export type PlannedDeposit = ApprovalScope &
  DepositPlaces & {
    asked: LibraryImport
    choices: ApprovedDeposit['choices']
    plan: Awaited<ReturnType<typeof planOf>>
    /** Of the sealed box, 64 hex digits. */
    boxDigest: string
  }

/** What an approval of a deposit would do. One is enough, because an owner can store values without a second person.
 * @throws DomainError not_found · deposit_damaged · conflict (no deposit) · forbidden (the plan does what only an owner
 *   may) · what `planOf` throws */
export async function plannedDeposit(
  parts: PlanParts,
  { caller, stored }: OpenCall,
  treatment: Treatment,
): Promise<PlannedDeposit> {
  const { asked, choices, boxDigest } = await importOf(parts, stored.request, treatment)
  const plan = await planOf({ ...parts.stores, clock: parts.clock }, caller, asked)
  const written = ofEachBundle(asked, plan, (bundleName, { steps }) => ({ bundleName, steps }))
  const { tenantId } = caller
  return {
    asked,
    choices,
    boxDigest,
    plan,
    people: 1,
    ...(await placesOf(parts.stores.bundles, tenantId, written)),
  }
}

/** What `of` says of each bundle; that of the request comes first. */
export function ofEachBundle<Plan, Said>(
  { bundleName, also = [] }: LibraryImport,
  plan: Plan & { also: readonly Plan[] },
  of: (bundleName: string, plan: Plan) => Said,
): [Said, ...Said[]] {
  return [of(bundleName, plan), ...also.map((other, index) => of(other.bundleName, plan.also[index] ?? plan))]
}

/** The import that a deposit asks for.
 * @throws DomainError not_found (the box is gone) · deposit_damaged · conflict (no deposit) */
export async function importOf(
  parts: PlanParts,
  request: ApprovalRequest,
  treatment: Treatment,
): Promise<{
  asked: LibraryImport & { also: readonly LibraryImport[] }
  choices: ApprovedDeposit['choices']
  boxDigest: string
}> {
  const { deposit, suggestedBundle } = request
  if (!deposit || suggestedBundle === null)
    throw new DomainError('conflict', 'This request asks for values: it is no deposit')
  const opened = await openDeposit(parts, request)
  const { own = opened.own, share = opened.share, replace = opened.replace, key_names = {} } = treatment
  const { entries, detach, base, boxDigest } = opened
  const { also: others } = opened
  const all = choicesOf({ own, share, replace, key_names })
  const choices = others.length === 0 ? all : choicesFor(entries, all)
  const also = others.map((other) => ({
    bundleName: other.bundle,
    entries: other.entries,
    detach: [],
    choices: choicesFor(other.entries, all),
    base,
    planId: undefined,
  }))
  const asked = { bundleName: suggestedBundle, entries, detach, choices, base, planId: undefined, also }
  return { asked, choices: { own, share, replace, keyNames: key_names }, boxDigest }
}

// A choice counts in each bundle that gets the name.
function choicesFor(entries: LibraryImport['entries'], choices: ImportChoices): ImportChoices {
  const names = new Set(entries.map(({ name }) => name))
  const { own, share, replace, keyNames } = choices
  const within = (given: ReadonlySet<string>) => new Set([...given].filter((name) => names.has(name)))
  return {
    own: within(own),
    share: within(share),
    replace: replace === 'all' ? replace : within(replace),
    keyNames: new Map([...keyNames].filter(([name]) => names.has(name))),
  }
}

/** What the approver sees of a plan. */
export function shownPlan(
  { plan, changes, production }: PlannedDeposit,
  grounds: Grounds,
): Omit<z.input<typeof DepositPlan>, 'plan' | 'stricter' | 'also' | 'bundle' | 'bundle_id'> {
  return {
    plan_id: plan.planId,
    ...shownRules(DEPOSIT_REFUSALS, grounds),
    changes,
    production,
  }
}

/** The values of a step that may be shown: those that are not secret. */
export function shownValues(step: ImportStep): { old_value?: string; new_value?: string } {
  const { action, key, entry, isAttached, changed } = step
  const isReplaced = action === 'update' || action === 'replace' || (action === 'own' && isAttached)
  const isOpenConflict = action === 'kept' && changed !== undefined
  const old = (isReplaced || isOpenConflict) && key ? readableValue(key) : null
  const isWritten = isReplaced || makesKey(step) || (isOpenConflict && entry.is_secret !== true)
  return {
    ...(old === null ? {} : { old_value: old }),
    ...(isWritten && !markAfter(step) ? { new_value: entry.value } : {}),
  }
}

/** The value of a name that is removed, where it may be shown. */
export function removedValue(key: FoundKey): { old_value?: string } {
  const old = readableValue(key)
  return old === null ? {} : { old_value: old }
}

function readableValue({ is_secret, templateParts, value }: FoundKey): string | null {
  return is_secret || templateParts !== null || value === null ? null : value.reveal()
}

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

type WriteTarget = { bundleName: string; steps: readonly ImportStep[] }

/** The bundles that a deposit writes to or takes a key from. */
export async function placesOf(
  bundles: BundleStore,
  tenantId: string,
  targets: readonly WriteTarget[],
): Promise<DepositPlaces> {
  const steps = targets.flatMap((target) => target.steps)
  const changes = bundlesBeside(steps, 'replace')
  const written = targets.map(({ bundleName }) => bundleName)
  const changed = new Set([...written, ...changes])
  const known = await bundles.findNamed(tenantId, [...changed, ...bundlesBeside(steps, 'share')])
  const made = written.filter((each) => !known.some(({ name }) => name === each))
  const places = [...made.map((name) => ({ ...UNNAMED, id: null, name })), ...known]
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
