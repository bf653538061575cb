import { useState } from 'react'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { changedOf, storing } from '../../../lib/words/import-steps.ts'
import { Notice } from '../../../ui/notice.tsx'
import { CrossingNotice, StricterNotice } from '../../../ui/stricter-notice.tsx'
import { keptChoice } from '../kept.ts'
import type { Action } from '../offer.ts'
import type { Reasons } from '../request/reason-facts.tsx'
import { Names } from '../shown-names.tsx'

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

type DepositNoticesProps = {
  plan: DepositPlan | null
  /** The library changed since the person saw the first plan. */
  isReplanned: boolean
  requestId: string
}

/** That the plan is a new one, and whose rules are stricter. */
export function DepositNotices({ plan, isReplanned, requestId }: DepositNoticesProps) {
  const [wasApproved] = useState(() => keptChoice(requestId) !== null)
  if (plan === null) return null
  return (
    <>
      {(isReplanned || wasApproved) && (
        <Notice tone="caution" role="alert" className="my-2">
          <strong>The library changed after you approved, so nothing was stored.</strong> This is the plan as
          it is now. Check it, then approve again or deny.
        </Notice>
      )}
      <StricterNotice names={plan.stricter} />
      <CrossingNotice of={plan.plan} />
    </>
  )
}

/** What a deposit changes beyond what it stores in its bundle. */
export function dangersOf(plan: DepositPlan): Reasons['dangers'] {
  const removed = removedNames(plan)
  return {
    removed: removed.length > 0 && (
      <>
        <strong>No longer delivered:</strong> <Names names={removed} />. Programs that need{' '}
        {removed.length === 1 ? 'it' : 'them'} fail at their next start.
      </>
    ),
    changes: plan.changes.length > 0 && (
      <>
        <strong>Other bundles change too:</strong> <Names names={plan.changes} />.
      </>
    ),
  }
}
