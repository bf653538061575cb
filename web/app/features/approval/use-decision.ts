import { useRef, useState } from 'react'
import type { ApprovalAnswer, RequestContext } from '../../lib/answers.ts'
import { call } from '../../lib/api.ts'
import { describeFailure, type Failure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { inWorkspace } from './place.ts'
import { type Choice, type End, endOf } from './request-state.ts'
import type { ReturnPlan } from './return-plan.ts'
import type { Tried } from './together/approve-companions.ts'

/** How a choice is approved. `userCode`: null where none is typed. `rememberHours`: 0: the terminal asks each time. */
export type Manner = {
  release: 'loopback' | 'code' | null
  userCode: string | null
  rememberHours: number
}

type DecisionProps = {
  requestId: string
  context: RequestContext
  /** Approves what was started together with this request; the request itself is approved by then. */
  approveOthers: (manner: Manner) => Promise<readonly Tried[]>
  onApproved: (choice: Choice, answer: ApprovalAnswer, others: readonly Tried[]) => void
  onEnd: (end: End) => void
  onWrongCode: (problem: string) => void
}

/** Approve and deny. */
export function useDecision({ requestId, approveOthers, onApproved, onEnd, ...props }: DecisionProps) {
  const { decide, ...shown } = useOneDecision({ requestId, onEnd, ...props })
  const params = { request_id: requestId }
  const approve = (choice: Choice, manner: Manner) =>
    decide('approve', async () => {
      const { release, userCode, rememberHours } = manner
      const body = {
        bundle_id: choice.bundle.id,
        include_keys: [...choice.keys],
        ...(userCode === null ? {} : { user_code: userCode }),
        ...(release === null ? {} : { release }),
        ...(rememberHours === 0 ? {} : { remember_hours: rememberHours }),
      }
      const answer = await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
        params,
        headers: inWorkspace(choice.workspaceId),
        body,
      })
      onApproved(choice, answer, await approveOthers(manner))
    })
  return { ...shown, approve }
}

type OneDecisionProps = Pick<DecisionProps, 'requestId' | 'context' | 'onEnd' | 'onWrongCode'>

/** One call at a time; presses during a call do nothing. `problem` is why the last call failed. `decide` takes what else a
 * failure can mean, and whether that answers it. */
export function useOneDecision({ requestId, context, onEnd, onWrongCode }: OneDecisionProps) {
  const underWay = useRef(false)
  const [busy, setBusy] = useState<'approve' | 'deny' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const fail = (failure: Failure) => {
    const end = endOf(failure, context.expires_at, serverNowMs())
    if (end !== null) onEnd(end)
    else if (failure.details['field'] === 'user_code') onWrongCode(wrongCode(failure))
    else setProblem(failure.message)
  }
  const decide = async (
    kind: 'approve' | 'deny',
    act: () => Promise<void>,
    answers: (failure: Failure) => boolean = () => false,
  ) => {
    if (underWay.current) return
    underWay.current = true
    setBusy(kind)
    setProblem(null)
    try {
      await act()
    } catch (error) {
      const failure = describeFailure(error)
      if (!answers(failure)) fail(failure)
    } finally {
      underWay.current = false
      setBusy(null)
    }
  }
  /** If no one can approve, the terminal learns why. */
  const deny = (plan: ReturnPlan) =>
    decide('deny', async () => {
      const query = plan.by === 'refused' ? { reason: plan.code } : {}
      await call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: requestId }, query })
      onEnd('denied')
    })
  return { busy, problem, setProblem, decide, deny }
}

function wrongCode({ details }: Failure): string {
  const left = Number(details['attempts_left'])
  const tries = Number.isNaN(left) ? '' : ` ${left} ${left === 1 ? 'try is' : 'tries are'} left.`
  return `That is not the code of this request.${tries}`
}
