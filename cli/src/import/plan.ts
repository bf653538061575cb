import { isObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'
import { unknownAnswer } from '../server/library-call.ts'

// By hand instead of by the contract's schemas, whose library is four times as large as the rest of the client.

const ACTIONS = ['create', 'own', 'share', 'update', 'replace', 'same', 'kept', 'detach'] as const
export type Action = (typeof ACTIONS)[number]

/** What the server does with one variable. */
export type Step = {
  readonly name: string
  readonly action: Action
  /** The key's name in the library. */
  readonly keyName: string
  /** Some of the other bundles that use the key; for `own`, that keep the other value. */
  readonly sharedWith: readonly string[]
  readonly sharedTotal: number
  /** What the bundle composes the value of; null for any other value. */
  readonly templateParts: readonly string[] | null
}

export type ImportPlan = {
  readonly isNewBundle: boolean
  readonly steps: readonly Step[]
  readonly planId: string
}

/** The plan in an answer of the server; its texts are safe to print.
 * @throws CliError refused: the answer is something else */
export function readPlan(answer: unknown): ImportPlan {
  const { bundle_id, plan, plan_id } = isObject(answer) ? answer : {}
  if (!Array.isArray(plan) || typeof plan_id !== 'string') throw unknownAnswer()
  return { isNewBundle: bundle_id === null, steps: plan.map(readStep), planId: plan_id }
}

function readStep(entry: unknown): Step {
  const { name, action, key_name, shared_with, shared_total, template_parts } = isObject(entry) ? entry : {}
  const known = ACTIONS.find((each) => each === action)
  const isWhole = typeof name === 'string' && typeof key_name === 'string' && typeof shared_total === 'number'
  if (!isWhole || known === undefined || !Array.isArray(shared_with)) throw unknownAnswer()
  return {
    name: printable(name),
    action: known,
    keyName: printable(key_name),
    sharedWith: shared_with.map((bundle) => printable(String(bundle))),
    sharedTotal: shared_total,
    templateParts: Array.isArray(template_parts)
      ? template_parts.map((part) => printable(String(part)))
      : null,
  }
}

/** The steps that write something. */
export function writesOf({ steps }: ImportPlan): readonly Step[] {
  return steps.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** The names of the steps with an action. */
export function namesOf({ steps }: ImportPlan, action: Action): readonly string[] {
  return steps.filter((step) => step.action === action).map(({ name }) => name)
}
