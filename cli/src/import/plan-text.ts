import { groupBy } from '../base/group-by.ts'
import { type Action, type ImportPlan, namesOf, type Step, writesOf } from './plan.ts'

const SIGNS = {
  create: '+',
  own: '+',
  share: '&',
  update: '~',
  replace: '!',
  same: '=',
  kept: '=',
  detach: '-',
} as const satisfies Record<Action, string>

const WIDEST_NAME = 40
// Names that still read as one sentence.
const MOST_NAMED = 3

/** `how`: whether a file is imported or a value is stored. `workspace`: where the command or the project file names
 * one. */
type Target = {
  readonly bundleName: string
  readonly how: 'import' | 'store'
  readonly server: string
  readonly workspace: { readonly name: string } | null
}

/** The plan as lines for a person: names and what happens to them, never a value. */
export function planText(plan: ImportPlan, { bundleName, how, server, workspace }: Target): string {
  const widest = Math.min(WIDEST_NAME, Math.max(0, ...plan.plan.map(({ name }) => name.length)))
  const place = workspace === null ? '' : ` in ${workspace.name}`
  const verb = how === 'import' ? 'Import into' : 'Store in'
  const head = `${verb} ${bundleName}${plan.bundleId === null ? ' (a new bundle)' : ''}${place} at ${server}\n`
  const lines = plan.plan.map(
    (step) => `  ${SIGNS[step.action]} ${step.name.padEnd(widest)}  ${HAPPENS[step.action](step)}\n`,
  )
  return `${head}${lines.join('')}${summary(plan)}\n`
}

const HAPPENS: Readonly<Record<Action, (step: Step) => string>> = {
  create: ({ name, keyName }) => (keyName === name ? 'new' : `new${inLibrary(keyName)}`),
  own: (step) => `own value${inLibrary(step.keyName)}${step.sharedTotal === 0 ? '' : keeping(step)}`,
  share: (step) => (step.sharedTotal === 0 ? 'shared with the library' : `shared with ${others(step)}`),
  update: () => 'updated',
  replace: (step) =>
    step.sharedTotal === 0 ? 'replaced in the library' : `replaced, in ${others(step)} too`,
  same: () => 'same',
  kept: (step) => (step.templateParts === null ? 'kept as it is' : composed(step, step.templateParts)),
  detach: ({ name, keyName }) =>
    `removed${keyName === name ? '; its key' : `; the key ${keyName}`} stays in the library`,
}

function composed({ name, sharedTotal }: Step, parts: readonly string[]): string {
  const from = parts.length === 0 ? 'a template' : parts.join(', ')
  const how = sharedTotal === 0 ? `--replace ${name}` : `--own ${name} or --replace ${name}`
  return `kept, built from ${from}; to use this value instead, add ${how}`
}

function inLibrary(keyName: string): string {
  return `, called ${keyName} in the library`
}

function keeping(step: Step): string {
  return `; ${others(step)} ${step.sharedTotal === 1 ? 'keeps its value' : 'keep theirs'}`
}

function others({ sharedWith: [first = 'other bundles'], sharedTotal }: Step): string {
  return sharedTotal <= 1 ? first : `${first} and ${sharedTotal - 1} more`
}

/** For example `12 new, 3 own, 2 shared with dev/app (SENTRY_DSN, PORT), 1 updated`. */
export function summary(plan: ImportPlan): string {
  if (writesOf(plan).length === 0) return `Nothing to write: ${whyNothing(plan)}`
  const count = (action: Action, word: string): string[] => {
    const { length } = namesOf(plan, action)
    return length === 0 ? [] : [`${length} ${word}`]
  }
  return [
    ...count('create', 'new'),
    ...count('own', 'own'),
    ...named(plan, 'share', 'shared'),
    ...count('update', 'updated'),
    ...named(plan, 'replace', 'replaced'),
    ...count('same', 'same'),
    ...count('kept', 'kept'),
    ...count('detach', 'removed'),
  ].join(', ')
}

function whyNothing({ plan }: ImportPlan): string {
  const kept = plan.filter(({ action, templateParts }) => action === 'kept' && templateParts !== null)
  if (kept.length === 0) return 'the bundle delivers all of it already'
  return `${shortList(kept)} ${kept.length === 1 ? 'stays a composed value' : 'stay composed values'}`
}

/** The steps with an action, counted for each bundle that uses the keys too. */
function named({ plan }: ImportPlan, action: Action, word: string): string[] {
  const byBundle = groupBy(
    plan.filter((step) => step.action === action),
    (step) => (step.sharedTotal === 0 ? 'the library' : others(step)),
  )
  const link = action === 'share' ? 'with' : 'also in'
  return [...byBundle].map(
    ([bundle, group]) => `${group.length} ${word} ${link} ${bundle} (${shortList(group)})`,
  )
}

function shortList(steps: readonly Step[]): string {
  const names = steps.slice(0, MOST_NAMED).map(({ name }) => name)
  return `${names.join(', ')}${steps.length > MOST_NAMED ? ', …' : ''}`
}

/** The plan for a machine: names by what happens to them. */
export function planFacts(plan: ImportPlan, bundleName: string): object {
  return {
    bundle: bundleName,
    is_new_bundle: plan.bundleId === null,
    create: namesOf(plan, 'create'),
    own: namesOf(plan, 'own'),
    share: namesOf(plan, 'share'),
    update: namesOf(plan, 'update'),
    replace: namesOf(plan, 'replace'),
    same: namesOf(plan, 'same'),
    kept: namesOf(plan, 'kept'),
    detach: namesOf(plan, 'detach'),
  }
}
