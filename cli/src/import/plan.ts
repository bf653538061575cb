import { list, number, object, oneOf, orNull, type Shape, shown, string } from '../base/shape.ts'

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

const STEP = object({
  name: shown(300),
  action: oneOf(...ACTIONS),
  key_name: shown(300),
  shared_with: list(shown(300)),
  shared_total: number,
  template_parts: orNull(list(shown(300))),
})
const PLAN = object({ bundle_id: orNull(string), plan: list(STEP), plan_id: string })

/** The plan in an answer of the server; its texts are safe to print. */
export const importPlan: Shape<ImportPlan> = (value) => {
  const { bundle_id: bundleId, plan, plan_id: planId } = PLAN(value)
  const steps = plan.map(({ name, action, ...step }) => ({
    name,
    action,
    keyName: step.key_name,
    sharedWith: step.shared_with,
    sharedTotal: step.shared_total,
    templateParts: step.template_parts,
  }))
  return { isNewBundle: bundleId === null, steps, planId }
}

/** The steps that write something. */
export function writesOf({ steps }: ImportPlan): readonly Step[] {
  return steps.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** The names of the steps with an action. */
export function namesOf({ steps }: ImportPlan, action: Action): readonly string[] {
  return steps.filter((step) => step.action === action).map(({ name }) => name)
}
