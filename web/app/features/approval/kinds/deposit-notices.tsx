import { useState } from 'react'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { Notice } from '../../../ui/notice.tsx'
import { CrossingNotice, StricterNotice } from '../../../ui/stricter-notice.tsx'
import { keptChoice } from '../kept.ts'
import type { Reasons } from '../request/reason-band.tsx'
import { Names } from '../shown-names.tsx'
import { removedNames } from './deposit-plan.ts'

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
        <Notice tone="caution" role="alert">
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
