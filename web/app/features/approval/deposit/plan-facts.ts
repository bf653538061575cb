import type { DepositPlan, DepositStep } from '../../../lib/answers.ts'

/** How many variables a plan changes, and how many of them it removes. */
export function countsOf(plan: readonly Pick<DepositStep, 'action'>[]): { count: number; removed: number } {
  const changed = changedOf(plan)
  return { count: changed.length, removed: changed.filter(({ action }) => action === 'detach').length }
}

/** The steps that change something. */
export function changedOf<Step extends Pick<DepositStep, 'action'>>(plan: readonly Step[]): Step[] {
  return plan.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** The names that the bundle does not deliver after the change, with those that it cannot compose any more. */
export function removedNames({ plan }: Pick<DepositPlan, 'plan'>): string[] {
  const removed = plan.filter(({ action }) => action === 'detach')
  return [...new Set([...removed.map(({ name }) => name), ...removed.flatMap(({ breaks = [] }) => breaks)])]
}

/** What a person has to confirm. */
export type Doubts = {
  /** Other bundles whose values change. */
  changes: readonly string[]
  /** Names that bundles of production no longer deliver, or cannot compose any more. */
  removed: readonly string[]
}

/** What asks the person a second time before they approve the plan. */
export function doubtsOf(plan: DepositPlan | null): Doubts {
  if (plan === null) return { changes: [], removed: [] }
  return { changes: plan.changes, removed: plan.production.length > 0 ? removedNames(plan) : [] }
}
