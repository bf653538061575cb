import type { DepositPlan, ImportChoice } from '../calls/answers.ts'
import { choiceOf } from '../words/import-steps.ts'

/** How a person wants the variables of a plan treated; null: as it was asked. */
export type ValueTreatment = Record<'own' | 'share' | 'replace', string[]> | null

/** The treatment of every variable with a choice, after a person has chosen for one. */
export function treatmentOf(
  { plan }: Pick<DepositPlan, 'plan'>,
  name: string,
  choice: ImportChoice,
): ValueTreatment {
  const lists: NonNullable<ValueTreatment> = { own: [], share: [], replace: [] }
  for (const step of plan) {
    if (step.choices.length === 0) continue
    const chosen = step.name === name ? choice : choiceOf(step)
    if (chosen !== '') lists[chosen].push(step.name)
  }
  return lists
}
