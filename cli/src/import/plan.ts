import type { ImportAction } from '@keyferry/contract'
import { changesText, IMPORT_ACTIONS, isImportAction, namesOf, shortList } from '../base/import-actions.ts'
import { list, number, object, optional, orNull, shown, string, truth, where } from '../base/shape.ts'
import { type ImportVerb, WORDS } from './import-options.ts'

const WIDEST_NAME = 40

/** `workspace`: where the command or the project file names one. */
type ImportTarget = {
  readonly how: ImportVerb
  readonly server: string
  readonly workspace: { readonly name: string } | null
}

/** The plan as lines for a person: names and what happens to them, never a value. */
export function planText(plan: NamedPlan, { how, server, workspace }: ImportTarget): string {
  const widest = Math.min(WIDEST_NAME, Math.max(0, ...plan.plan.map(({ name }) => name.length)))
  const place = workspace === null ? '' : ` in ${workspace.name}`
  const isNew = plan.bundleId === null ? ' (a new bundle)' : ''
  const head = `${WORDS[how].into} ${plan.bundleName}${isNew}${place} at ${server}\n`
  const lines = plan.plan.map((step) => {
    const mark = isPublic(step) ? '; not secret' : ''
    return `  ${IMPORT_ACTIONS[step.action].sign} ${step.name.padEnd(widest)}  ${HAPPENS[step.action](step)}${mark}\n`
  })
  return `${head}${lines.join('')}${summary(plan)}\n`
}

const HAPPENS: Readonly<Record<ImportAction, (step: PlanStep) => string>> = {
  create: ({ name, keyName }) => (keyName === name ? 'new' : `new${inLibrary(keyName)}`),
  own: (step) => `own value${inLibrary(step.keyName)}${step.sharedTotal === 0 ? '' : keeping(step)}`,
  share: (step) => (step.sharedTotal === 0 ? 'uses the stored value' : `shared with ${others(step)}`),
  update: () => 'updated',
  replace: (step) => (step.sharedTotal === 0 ? 'replaced' : `replaced, in ${others(step)} too`),
  same: () => 'same',
  kept: (step) => {
    if (step.templateParts !== null) return composed(step, step.templateParts)
    return step.changed === null ? 'kept as it is' : `kept, ${changedText(step.changed)}`
  },
  detach: ({ name, keyName, breaks }) => {
    const ends = breaks.length === 0 ? '' : `; ${breaks.join(', ')} cannot be composed without it`
    return `removed; its value stays stored${keyName === name ? '' : ` as ${keyName}`}${ends}`
  },
}

/** For example `changed by sam after you opened the editor`. */
export function changedText({ by }: NonNullable<PlanStep['changed']>): string {
  return `changed by ${by ?? 'another person'} after you opened the editor`
}

function composed({ name, sharedTotal }: PlanStep, parts: readonly string[]): string {
  const from = parts.length === 0 ? 'a template' : parts.join(', ')
  const how = sharedTotal === 0 ? `--replace ${name}` : `--own ${name} or --replace ${name}`
  return `kept, built from ${from}; to use this value instead, add ${how}`
}

function inLibrary(keyName: string): string {
  return `, stored as ${keyName}`
}

function keeping(step: PlanStep): string {
  return `; ${others(step)} ${step.sharedTotal === 1 ? 'keeps its value' : 'keep theirs'}`
}

function others({ sharedWith: [first = 'other bundles'], sharedTotal }: PlanStep): string {
  return sharedTotal <= 1 ? first : `${first} and ${sharedTotal - 1} more`
}

function summary({ plan }: BundlePlan): string {
  return writesOf(plan).length === 0 ? `Nothing to write: ${whyNothing(plan)}` : changesText(plan)
}

function whyNothing(steps: readonly PlanStep[]): string {
  const kept = steps.filter(({ action, templateParts }) => action === 'kept' && templateParts !== null)
  if (kept.length === 0) return 'the bundle delivers all of it already'
  return `${listed(kept)} ${kept.length === 1 ? 'stays a composed value' : 'stay composed values'}`
}

const listed = (steps: readonly PlanStep[]) => shortList(steps.map(({ name }) => name))

/** Whether a step gives the bundle a value that everyone in the workspace can read. */
function isPublic({ action, isSecret }: PlanStep): boolean {
  return !isSecret && action !== 'detach'
}

/** The plan for a machine: names by what happens to them, and those of values that are not secret. */
export function planFacts({ bundleName, bundleId, plan }: NamedPlan): object {
  return {
    bundle: bundleName,
    is_new_bundle: bundleId === null,
    ...Object.fromEntries(Object.keys(IMPORT_ACTIONS).map((action) => [action, namesOf(plan, action)])),
    public: plan.filter(isPublic).map(({ name }) => name),
  }
}

/** What the server does with one variable; its texts are safe to print. */
const STEP = object({
  name: shown(300),
  action: where(isImportAction),
  /** The key's name in the library. */
  keyName: shown(300),
  isSecret: truth,
  /** Some of the other bundles that use the key; for `own`, that keep theirs. */
  sharedWith: list(shown(300)),
  sharedTotal: number,
  /** What the bundle composes the value of; null for any other value. */
  templateParts: orNull(list(shown(300))),
  /** What the bundle cannot compose without a removed name. */
  breaks: optional(list(shown(300)), []),
  /** Production and another environment deliver the same secret after the step. */
  crosses: optional(truth, false),
  /** Who set the present value after this person was given another one. */
  changed: optional(orNull(object({ by: orNull(shown(80)) })), null),
})
export type PlanStep = ReturnType<typeof STEP>

/** The plan in an answer of the server. `bundleId` is null for a new bundle. */
const OF_BUNDLE = object({ bundleId: orNull(string), plan: list(STEP) })
type BundlePlan = ReturnType<typeof OF_BUNDLE>
export type NamedPlan = BundlePlan & { readonly bundleName: string }

/** `also`: of other bundles. */
export const importPlan = object({
  bundleId: orNull(string),
  plan: list(STEP),
  planId: string,
  also: optional(list(OF_BUNDLE), []),
  /** Other variables that still have a value that was replaced. */
  formerIn: optional(list(object({ name: shown(300), bundle: orNull(shown(300)) })), []),
})
export type ImportPlan = ReturnType<typeof importPlan>

/** The steps that write something. */
export function writesOf(steps: readonly PlanStep[]): readonly PlanStep[] {
  return steps.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** Warns about secrets that production and another environment share. */
export function planNotes(steps: readonly PlanStep[]): readonly string[] {
  const names = steps.filter(({ crosses }) => crosses).map(({ name }) => name)
  if (names.length === 0) return []
  return [`production and another environment share ${names.join(', ')}; use --own to separate them`]
}
