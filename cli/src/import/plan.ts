import { list, number, object, oneOf, orNull, shown, string } from '../base/shape.ts'

const ACTIONS = ['create', 'own', 'share', 'update', 'replace', 'same', 'kept', 'detach'] as const
export type Action = (typeof ACTIONS)[number]

/** What the server does with one variable; its texts are safe to print. */
const STEP = object({
  name: shown(300),
  action: oneOf(...ACTIONS),
  /** The key's name in the library. */
  keyName: shown(300),
  /** Some of the other bundles that use the key; for `own`, that keep theirs. */
  sharedWith: list(shown(300)),
  sharedTotal: number,
  /** What the bundle composes the value of; null for any other value. */
  templateParts: orNull(list(shown(300))),
})
export type Step = ReturnType<typeof STEP>

/** The plan in an answer of the server. `bundleId` is null for a new bundle. */
export const importPlan = object({ bundleId: orNull(string), plan: list(STEP), planId: string })
export type ImportPlan = ReturnType<typeof importPlan>

/** The steps that write something. */
export function writesOf({ plan }: ImportPlan): readonly Step[] {
  return plan.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** The names of the steps with an action. */
export function namesOf({ plan }: ImportPlan, action: Action): readonly string[] {
  return plan.filter((step) => step.action === action).map(({ name }) => name)
}
