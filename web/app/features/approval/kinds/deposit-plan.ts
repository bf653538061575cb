import type { DepositPlan, DepositStep } from '../../../lib/calls/answers.ts'
import type { Action } from '../offer.ts'

/** What Approve does: it stores variables, removes them, or both. */
export function actionOf({ plan }: Pick<DepositPlan, 'plan'>, name: string): Action {
  const changed = changedOf(plan)
  const removed = changed.filter(({ action }) => action === 'detach').length
  const count = changed.length
  if (removed === count) return { verb: 'Remove', count, thing: 'variable', where: 'from', name }
  const stored = { verb: 'Store', count: count - removed, thing: 'variable', where: 'in', name }
  return removed === 0 ? stored : { ...stored, besides: `, and remove\u00a0${removed}` }
}

/** What Approve does where the person can only propose. */
export function proposing(names: readonly string[], name: string): Action {
  return { verb: 'Propose', count: names.length, thing: 'variable', where: 'to the owners of', name }
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
