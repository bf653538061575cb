import { spanText, TIMES } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { joined } from '../../../lib/words/counted.ts'
import { Notice } from '../../../ui/notice.tsx'
import { CrossingNotice, StricterNotice } from '../../../ui/stricter-notice.tsx'
import { keptChoice } from '../kept.ts'
import { stepsOf } from './deposit-plan.tsx'

type DepositNoticesProps = {
  plan: DepositPlan
  /** The library changed since the person saw the first plan. */
  isReplanned: boolean
  requestId: string
}

/** That the plan is a new one, whose rules are stricter, and that the person can only propose. */
export function DepositNotices({ plan, isReplanned, requestId }: DepositNoticesProps) {
  const { proposal } = plan
  const [wasApproved] = useState(() => keptChoice(requestId) !== null)
  return (
    <>
      {(isReplanned || wasApproved) && (
        <Notice tone="problem" role="alert" className="my-2">
          <strong>The library changed after you approved, so nothing was stored.</strong> This is the plan as
          it is now. Check it, then approve again or deny.
        </Notice>
      )}
      <StricterNotice names={plan.stricter} />
      <CrossingNotice of={stepsOf(plan)} />
      {proposal && (
        <Notice tone="plain" role="alert" className="my-2">
          <strong>{proposal.error}. Propose it to the owners.</strong> The server keeps it encrypted for{' '}
          {spanText(TIMES.proposalSeconds)}, until {joined(proposal.owners, 'or')} decides.
        </Notice>
      )}
    </>
  )
}
