import { useState } from 'react'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { Notice } from '../../../ui/notice.tsx'
import { StricterNotice } from '../../../ui/stricter-notice.tsx'
import { keptChoice } from '../kept.ts'
import { Names } from '../shown-names.tsx'
import { removedNames } from './deposit-plan.ts'

type DepositWarningsProps = {
  plan: DepositPlan | null
  /** The library changed since the person saw the first plan. */
  isReplanned: boolean
  requestId: string
}

/** What a deposit changes beyond its bundle, and that the plan is a new one. */
export function DepositWarnings({ plan, isReplanned, requestId }: DepositWarningsProps) {
  const [wasApproved] = useState(() => keptChoice(requestId) !== null)
  if (plan === null) return null
  const { changes, production } = plan
  const removed = removedNames(plan)
  return (
    <div className="mt-3 space-y-2">
      {(isReplanned || wasApproved) && (
        <Notice tone="caution" role="alert">
          <strong>The library changed after you approved, so nothing was stored.</strong> This is the plan as
          it is now. Check it, then approve again or deny.
        </Notice>
      )}
      {production.length > 0 && (
        <Notice tone="danger" role="alert">
          <strong>Production:</strong> this changes <Names names={production} />.
        </Notice>
      )}
      {removed.length > 0 && (
        <Notice tone={production.length > 0 ? 'danger' : 'caution'} role="alert">
          <strong>No longer delivered:</strong> <Names names={removed} />. Programs that need{' '}
          {removed.length === 1 ? 'it' : 'them'} fail at their next start.
        </Notice>
      )}
      <StricterNotice names={plan.stricter} />
      {changes.length > 0 && (
        <Notice tone="danger" role="alert">
          <strong>Other bundles change too:</strong> <Names names={changes} />.
        </Notice>
      )}
    </div>
  )
}
