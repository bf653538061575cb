import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { changedOf, storing } from '../../../lib/words/import-steps.ts'
import type { Action } from '../offer.ts'

/** What Approve does: it stores variables, removes them, or both. */
export function actionOf({ plan, bundle_id }: Pick<DepositPlan, 'plan' | 'bundle_id'>, name: string): Action {
  const note = bundle_id === null ? { note: 'a new bundle' } : {}
  return { label: storing(plan), count: changedOf(plan).length, thing: 'variable', name, ...note }
}

/** What Approve does where the person can only propose. */
export function proposing({ length: count }: readonly string[], name: string): Action {
  return { label: `Propose ${counted(count, 'variable')}`, count, thing: 'variable', name }
}

/** The names that the bundle does not deliver after the change, with those that it cannot compose any more. */
export function removedNames({ plan }: Pick<DepositPlan, 'plan'>): string[] {
  const removed = plan.filter(({ action }) => action === 'detach')
  return [...new Set([...removed.map(({ name }) => name), ...removed.flatMap(({ breaks = [] }) => breaks)])]
}
