import { useState } from 'react'
import type { ApprovalAnswer } from '../../lib/answers.ts'
import { needsConfirmation } from './doubts.ts'
import { offeredHours } from './remember-choice.tsx'
import type { Choice, End, OpenRequest } from './request-state.ts'
import { mustTypeCode } from './return-plan.ts'
import { approveCompanions, type Tried } from './together/approve-companions.ts'
import { useCompanions } from './together/use-companions.ts'
import type { useChoice } from './use-choice.ts'
import { type Manner, useDecision } from './use-decision.ts'
import type { BundleState } from './use-request-bundle.ts'
import { useTypedCode } from './use-typed-code.ts'

const NO_KEYS_YET: Readonly<Record<BundleState['phase'], string>> = {
  none: 'Choose a bundle first.',
  loading: 'The keys are still loading.',
  failed: 'The keys of this bundle could not be loaded.',
  ready: '',
}

type ApprovalProps = {
  requestId: string
  request: OpenRequest
  onApproved: (choice: Choice, answer: ApprovalAnswer, others: readonly Tried[]) => void
  onEnd: (end: End) => void
}

/** What Approve does: nothing until all that it needs is there, and a question where something is strange. */
export function useApproval(
  { requestId, request, onApproved, onEnd }: ApprovalProps,
  { bundle, state, keys, place, plan, grounds, doubts }: ReturnType<typeof useChoice>,
) {
  const code = useTypedCode(mustTypeCode(plan, grounds))
  const { context } = request
  const together = useCompanions(requestId, plan.by)
  const approveOthers = ({ release, rememberHours: given }: Manner) =>
    approveCompanions(together.selected, {
      release: release === 'loopback' ? release : null,
      rememberHours: given,
    })
  const onWrongCode = code.refuse
  const decision = useDecision({ requestId, context, approveOthers, onApproved, onEnd, onWrongCode })
  const [isConfirming, setConfirming] = useState(false)
  const [rememberHours, setRememberHours] = useState(0)
  const { workspaceId } = place
  const offered = offeredHours(bundle, plan)
  const hours = offered.includes(rememberHours) ? rememberHours : 0
  const send = () => {
    setConfirming(false)
    if (bundle === null || workspaceId === null || plan.by === 'refused') return
    const release: Manner['release'] = plan.by === 'none' ? null : plan.by
    const manner = { release, userCode: code.field.typed, rememberHours: hours }
    const isSecond = (bundle.first_approval ?? null) !== null
    void decision.approve({ kind: 'delivery', isSecond, workspaceId, bundle, keys }, manner)
  }
  const approve = () => {
    if (workspaceId === null) return decision.setProblem('Choose a workspace first.')
    if (bundle === null) return decision.setProblem(NO_KEYS_YET[state.phase])
    if (plan.by === 'refused') return decision.setProblem(plan.reason)
    if (keys.length === 0) return decision.setProblem('Select at least one key.')
    if (code.missing) return code.refuse('Type all eight letters of the check code.')
    if (needsConfirmation(doubts)) return setConfirming(true)
    send()
  }
  const remember = { offered, hours, commands: together.selected.length + 1, onHours: setRememberHours }
  return {
    code,
    together,
    decision,
    approve,
    deny: () => decision.deny(plan),
    send,
    isConfirming,
    remember,
    cancel: () => setConfirming(false),
  }
}
