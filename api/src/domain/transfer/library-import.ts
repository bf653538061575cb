import type { ImportAction } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { type NewBundle, newBundle, requireReached } from '../library/bundle.ts'
import { libraryPrefix } from '../library/library-name.ts'
import {
  type BundleRights,
  mayEditBundle,
  mayShow,
  requireChangeAllowed,
  requireMayCompose,
  requireRight,
} from '../library/value-rights.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'
import type { BundleReach } from '../people/reach.ts'
import { type ImportRemoval, planImport, planRemovals } from './library-import-plan.ts'
import { withSources } from './library-import-sources.ts'
import {
  crossesAfter,
  type FoundKey,
  type ImportBase,
  type ImportChoices,
  type ImportEntry,
  type ImportLibrary,
  type ImportStep,
  isUnseen,
  makesKey,
  markAfter,
  type PlannedImport,
  splits,
  type WantedSizes,
} from './library-import-step.ts'

/*
 * An import brings the variables of a file into the library and into one bundle, which it creates if need be, and
 * removes names from the bundle: all of it or nothing. library-import-plan.ts says what happens to each variable. The
 * server plans, because only the server can compare secret values. A caller may look at the plan first, and then have
 * exactly that plan carried out. Owners import everything. Members change values that they may change, and create keys
 * or remove names in a new bundle or one that they created.
 */

/** What an import reads of a library. `reach`: of who imports. */
export type ImportReading = {
  reach: BundleReach
  bundleName: string
  /** Names that the bundle no longer delivers. */
  detach: readonly string[]
  /** The names of the entries. */
  names: readonly string[]
  /** By name of an entry, which values its plan needs (see `needsValue`). */
  sizes: ReadonlyMap<string, WantedSizes>
  /** By name of an entry, the bundle that it takes its value from. */
  sources: ReadonlyMap<string, string>
  /** Library names that new keys may get: these, and all that begin with `prefix`. */
  keyNames: readonly string[]
  prefix: string
}

/** A proposal whose values an owner stores. */
type ProposedBy = { id: string; proposerId: string }

/** A plan to carry out. `bundle`: to be created; null for a bundle that exists. `newKeyId`: for a step that makes a
 * key. `isComparable`: an equal value is no change, as no one learns from that who must not. */
export type ImportChange = {
  bundleId: string
  bundle: NewBundle | null
  steps: readonly (ImportPlan['steps'][number] & { newKeyId: string })[]
  removals: readonly ImportRemoval[]
  planId: string
  /** The proposal whose values these are; null: none. */
  proposal: ProposedBy | null
  stamp: Stamp
}

export interface LibraryImportStore {
  read(tenantId: string, reading: ImportReading): Promise<ImportLibrary>
  /** Read a library, let `decide` plan, and make the change, one import after the other in one transaction. Nothing is
   * changed when `decide` throws.
   * @returns null if another call changed the library in between; then nothing is changed */
  carryOut(tenantId: string, imports: readonly DecidedImport[]): Promise<ImportChange[] | null>
}

type DecidedImport = { reading: ImportReading; decide: (library: ImportLibrary) => ImportChange }

export type LibraryImport = {
  bundleName: string
  entries: readonly ImportEntry[]
  /** Names that the bundle no longer delivers. */
  detach: readonly string[]
  choices: ImportChoices
  base?: ImportBase | undefined
  /** The plan that the caller saw; undefined: any plan. */
  planId: string | undefined
  /** Imports into other bundles, which follow this one; the plan is that of all. */
  also?: readonly LibraryImport[]
  /** The proposal whose values these are. It ends with the change, and the change needs it to be open. No one learns
   * whether they are new. */
  proposal?: ProposedBy
}

/** `bundleId`: null for a bundle that is still to be created; `newKeyId`: given once the key is made. `crosses`:
 * production and another environment deliver the same secret after the step. */
export type ImportPlan = {
  bundleId: string | null
  steps: readonly (ImportStep & { newKeyId?: string; isComparable: boolean; crosses: boolean })[]
  removals: readonly ImportRemoval[]
  planId: string
}

type ImportParts = { imports: Pick<LibraryImportStore, 'carryOut'>; clock: ClockAndIds }

/** Of the imports into several bundles; `planId` is that of all. */
type ImportPlans = ImportPlan & { also: readonly ImportPlan[] }

/** Ends the transaction of an import that was only tried. */
class Tried extends Error {}

function endTrial(): never {
  throw new Tried()
}

/** What `importVariables` would do now. Of several imports, one can share what the one before it makes: so they are
 * carried out in a transaction that is rolled back.
 * @throws DomainError as `importVariables` does */
export async function planOf(
  { imports, clock }: ImportParts & { imports: LibraryImportStore },
  caller: Caller,
  asked: LibraryImport,
): Promise<ImportPlans> {
  if ((asked.also ?? []).length === 0)
    return {
      ...planIn(await imports.read(caller.tenantId, readingOf(caller, asked)), caller, asked),
      also: [],
    }
  const { decided, plans } = decisionsOf(clock, caller, asked)
  try {
    await imports.carryOut(caller.tenantId, [
      ...decided,
      { reading: readingOf(caller, asked), decide: endTrial },
    ])
  } catch (error) {
    if (!(error instanceof Tried)) throw error
    const [plan, ...also] = plans
    if (plan) return { ...plan, also, planId: planIdOfAll(plans) }
  }
  throw planChanged()
}

// A key that an import before this one makes gets another id each time.
function decisionsOf(clock: ClockAndIds, caller: Caller, asked: LibraryImport) {
  const all = [asked, ...(asked.also ?? [])]
  const plans: ImportPlan[] = []
  const made = new Map<string, string>()
  const decided = all.map((each, index) => ({
    reading: readingOf(caller, each),
    decide: (library: ImportLibrary) => {
      const later = all.slice(index + 1).flatMap(({ entries }) => entries.map(({ name }) => name))
      const plan = planIn(library, caller, { ...each, sharedLater: new Set(later) }, made)
      plans[index] = plan
      if (index === all.length - 1 && asked.planId !== undefined && asked.planId !== planIdOfAll(plans))
        throw planChanged()
      const change = changeOf(plan, caller, { ...each, clock })
      for (const step of change.steps) made.set(step.newKeyId, step.keyName)
      return change
    },
  }))
  return { decided, plans }
}

function planIdOfAll(plans: readonly ImportPlan[]): string {
  const ids = plans.map(({ planId }) => planId)
  return ids.length === 1 ? (ids[0] ?? '') : digestOf(JSON.stringify(ids))
}

/** Bring variables into the library and a bundle, and into the bundles in `also`, all or nothing.
 * @returns the changes that were made
 * @throws DomainError invalid, conflict, name_taken: see `planImport` and `planRemovals` · forbidden: the plan does
 *   more than create · plan_changed: the plan is not `planId`, the library changed in between, or the proposal
 *   has ended */
export async function importVariables(
  { imports, clock }: ImportParts,
  caller: Caller,
  asked: LibraryImport,
): Promise<ImportChange & { also: readonly ImportChange[] }> {
  const { decided } = decisionsOf(clock, caller, asked)
  const [change, ...also] = (await imports.carryOut(caller.tenantId, decided)) ?? []
  if (!change) throw planChanged()
  return { ...change, also }
}

/** What the plan of an import needs of the library. */
export function readingOf(
  { reach }: Pick<Caller, 'reach'>,
  { bundleName, entries, detach, choices }: LibraryImport,
): ImportReading {
  const names = entries.map(({ name }) => name)
  return {
    reach,
    bundleName,
    detach,
    names,
    sizes: new Map(entries.map((entry) => [entry.name, sizesFor(entry, choices)])),
    sources: new Map(entries.flatMap(({ name, from }) => (from === undefined ? [] : [[name, from]]))),
    keyNames: [...names, ...choices.keyNames.values()],
    prefix: libraryPrefix(bundleName),
  }
}

// A key that is chosen to be shared may be a part of a composed value.
function sizesFor({ name, value, from }: ImportEntry, { share }: ImportChoices): WantedSizes {
  return share.has(name) || from !== undefined ? 'any' : new Set([Buffer.byteLength(value)])
}

/** @param made names of the keys that an import before this one makes, by id */
function planIn(
  found: ImportLibrary,
  caller: Caller,
  wanted: LibraryImport & Pick<PlannedImport, 'sharedLater'>,
  made: ReadonlyMap<string, string> = new Map(),
): ImportPlan {
  requireReached(caller, wanted.bundleName)
  const { library, asked } = withSources(found, wanted, caller)
  const isOwner = caller.role === 'owner'
  // Who set a template did not set its parts.
  const isShowable = (key: FoundKey) => isOwner || (mayShow(caller, key) && key.templateParts === null)
  const mayCompare = (key: FoundKey) => asked.proposal === undefined && isShowable(key)
  const isOwnNamed = caller.reach !== null
  const steps = planImport(library, { ...asked, mayCompare, isOwnNamed, mayShare: isOwner }).map((step) => {
    const isKnown = step.key === null || !step.key.is_secret || mayCompare(step.key)
    const isComparable = isKnown && !isUnseen(step.entry)
    return { ...step, isComparable, crosses: crossesAfter(step, library) }
  })
  const removals = planRemovals(library, asked, steps)
  if (!isOwner) requireAllowed(library, { steps, removals }, caller)
  const bundleId = library.bundle?.id ?? null
  const named = { bundleName: asked.bundleName, made }
  return { bundleId, steps, removals, planId: planIdOf({ bundleId, steps, removals }, named) }
}

// A member changes the values that they may change, takes no key of others into reach, and frees none from a bundle's
// rules.
const OF_MEMBERS: ReadonlySet<ImportAction> = new Set(['create', 'own', 'update', 'same', 'kept'])

function requireAllowed(
  { bundle }: ImportLibrary,
  { steps, removals }: Pick<ImportPlan, 'steps' | 'removals'>,
  caller: Caller,
): void {
  for (const { action, key, entry } of steps) {
    if (action === 'update' && key) requireChangeAllowed(caller, key, entry)
    if (entry.copied?.isTemplate) requireMayCompose(caller)
  }
  // What is kept although another value was given is a change that only those who may edit the bundle can choose.
  const isEdited = removals.length > 0 || steps.some((step) => makesKey(step) || isKeptByChoice(step))
  if (bundle && isEdited) {
    requireRight(mayEditBundle(caller, bundle))
    const loosened = removals.filter(({ key }) => isLoosened(key, bundle))
    if (loosened.length > 0) throw ownerRequired(loosened.map(({ name }) => name))
  }
  const refused = steps.filter((step) => !isOfMembers(step))
  if (refused.length > 0) throw ofOwners(refused)
}

// A secret would come free of the bundle's rules, or of one that the caller does not reach.
function isLoosened({ id, is_secret, elsewhere }: FoundKey, from: BundleRights): boolean {
  return from.sharedOutside.has(id) || (from.isRuled && is_secret && elsewhere.length > 0)
}

function ofOwners(steps: readonly ImportStep[]): DomainError {
  const names = steps.map(({ entry }) => entry.name)
  const bundles = [...new Set(steps.flatMap(({ key }) => key?.elsewhere ?? []))].toSorted()
  return ownerRequired(names, bundles)
}

function isKeptByChoice({ action, changed }: ImportStep): boolean {
  return action === 'kept' && changed === undefined
}

// What a member takes from a bundle is theirs to attach.
function isOfMembers(step: ImportStep): boolean {
  if (step.action === 'share') return step.entry.from !== undefined
  return OF_MEMBERS.has(step.action) && !splits(step)
}

function planIdOf(
  { bundleId, steps, removals }: Omit<ImportPlan, 'planId'>,
  { bundleName, made }: { bundleName: string; made: ReadonlyMap<string, string> },
): string {
  const seen = steps.map((step) => [
    step.entry.name,
    step.action,
    step.keyName,
    markAfter(step),
    ...(step.key
      ? [made.get(step.key.id) ?? step.key.id, step.key.value_version, step.key.is_secret, step.key.elsewhere]
      : []),
    ...copiedIn(step, made),
  ])
  const removed = removals.map(({ name, key, breaks }) => [name, key.id, key.elsewhere, breaks])
  return digestOf(JSON.stringify([bundleId, bundleName, seen, removed]))
}

function changeOf(
  { bundleId, steps, removals, planId }: ImportPlan,
  caller: Caller,
  { bundleName, proposal, clock }: LibraryImport & { clock: ClockAndIds },
): ImportChange {
  const stamp = stampOf(caller, clock)
  const id = bundleId ?? clock.newId()
  const draft = { name: bundleName, description: '', tags: '' }
  return {
    bundleId: id,
    bundle: bundleId === null ? newBundle(draft, { id, stamp }) : null,
    steps: steps.map((step) => ({ ...step, newKeyId: clock.newId() })),
    removals,
    planId,
    proposal: proposal ?? null,
    stamp,
  }
}

function copiedIn({ entry: { copied } }: ImportStep, made: ReadonlyMap<string, string>) {
  return copied ? [made.get(copied.id) ?? copied.id, copied.version] : []
}

export function planChanged(): DomainError {
  return new DomainError('plan_changed', 'the library changed after this import was planned: plan it again')
}
