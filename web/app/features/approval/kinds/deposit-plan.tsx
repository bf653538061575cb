import type { DepositPlan, DepositStep } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { changedOf, storing } from '../../../lib/words/import-steps.ts'
import type { Action } from '../offer.ts'
import type { Reasons } from '../request/reason-facts.tsx'
import { Names } from '../shown-names.tsx'

/** The steps of all bundles. */
export function stepsOf({ plan, also = [] }: Pick<DepositPlan, 'plan' | 'also'>): DepositStep[] {
  return [...plan, ...also.flatMap((other) => other.plan)]
}

/** What Approve does: it stores variables, removes them, or both. */
export function actionOf(of: Pick<DepositPlan, 'plan' | 'bundle_id' | 'also'>, first: string): Action {
  const { bundle_id, also = [] } = of
  const plan = stepsOf(of)
  const name = also.length === 0 ? first : `${first} and ${counted(also.length, 'more bundle')}`
  const note = bundle_id === null && also.length === 0 ? { note: 'a new bundle' } : {}
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

/** What a deposit changes beyond what it stores in its bundle. */
export function dangersOf(plan: DepositPlan): Reasons['dangers'] {
  const removed = removedNames(plan)
  return {
    removed: removed.length > 0 && (
      <>
        <strong>No longer delivered:</strong> <Names names={removed} />. Programs fail without{' '}
        {removed.length === 1 ? 'it' : 'them'}.
      </>
    ),
    changes: plan.changes.length > 0 && (
      <>
        <strong>Other bundles change too:</strong> <Names names={plan.changes} />.
      </>
    ),
  }
}
