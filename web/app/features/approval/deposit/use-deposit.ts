import { useState } from 'react'
import type { ApprovalAnswer, DepositPlan } from '../../../lib/answers.ts'
import { call } from '../../../lib/api.ts'
import { toldApart } from '../../../lib/workspace-names.ts'
import { firstPlace, inWorkspace, isNamed } from '../place.ts'
import type { Choice, End, OpenRequest } from '../request-state.ts'
import { mustTypeCode, planReturn, type ReturnPlan } from '../return-plan.ts'
import { useOneDecision } from '../use-decision.ts'
import { useTypedCode } from '../use-typed-code.ts'
import type { WayBack } from '../way-back.ts'
import { changedOf, doubtsOf } from './plan-facts.ts'
import { type PlanState, useDepositPlan } from './use-deposit-plan.ts'

export type DepositProps = {
  requestId: string
  request: OpenRequest
  /** A link on a web page led here, not the terminal. */
  openedByLink: boolean
  /** Where the client says that it takes the approval back. */
  wayBack: WayBack | null
  onApproved: (choice: Choice, answer: ApprovalAnswer, others: readonly []) => void
  onEnd: (end: End) => void
}

const NO_PLAN_YET: Readonly<Record<PlanState['phase'], string>> = {
  none: 'Choose a workspace first.',
  loading: 'The plan is still loading.',
  failed: 'The plan could not be loaded.',
  ready: '',
}

const START_AGAIN =
  'These values are stored only if the approval returns to a terminal on the computer of your browser. Start the command again on this computer, without --no-open.'

/** A deposit to decide on: where it goes, what it does, how the approval returns, and the decision. */
export function useDeposit(props: DepositProps) {
  const { requestId, request, openedByLink, onApproved, onEnd } = props
  const { context } = request
  const place = useWorkspaceChoice(request)
  const { workspaceId } = place
  const planning = useDepositPlan({ requestId, workspaceId, expiresAt: context.expires_at, onEnd })
  const { plan } = planning
  const { returning, grounds } = returnOf(plan, props)
  const code = useTypedCode(mustTypeCode(returning, grounds))
  const decision = useOneDecision({ context, onEnd, onWrongCode: code.refuse })
  const [isConfirming, setConfirming] = useState(false)
  const [isReplanned, setReplanned] = useState(false)

  const send = () => {
    setConfirming(false)
    if (plan === null || workspaceId === null || returning.by === 'refused') return
    const body = {
      plan_id: plan.plan_id,
      ...planning.treatment,
      ...(code.field.typed === null ? {} : { user_code: code.field.typed }),
      ...(returning.by === 'none' ? {} : { release: returning.by }),
    }
    const act = async () => {
      const options = { params: { request_id: requestId }, headers: inWorkspace(workspaceId), body }
      const answer = await call('POST', '/api/v1/requests/{request_id}/deposit', options)
      onApproved(choiceOf(plan, workspaceId), answer, [])
    }
    void decision.decide('approve', act, (failure) => {
      if (failure.code !== 'plan_changed') return false
      setReplanned(true)
      planning.reload()
      return true
    })
  }
  const approve = () => {
    if (plan === null) return decision.setProblem(NO_PLAN_YET[planning.state.phase])
    if (returning.by === 'refused') return decision.setProblem(returning.reason)
    if (code.missing) return code.refuse('Type all eight letters of the check code.')
    const { changes, removed } = doubtsOf(plan)
    if (openedByLink || changes.length + removed.length > 0) return setConfirming(true)
    send()
  }
  const deny = () =>
    decision.decide('deny', async () => {
      const query = returning.by === 'refused' ? { reason: returning.code } : {}
      await call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: requestId }, query })
      onEnd('denied')
    })
  const confirmation = { isOpen: isConfirming, confirm: send, cancel: () => setConfirming(false) }
  return { place, planning, returning, grounds, code, decision, approve, deny, confirmation, isReplanned }
}

function useWorkspaceChoice({ context, candidates, person }: OpenRequest) {
  const [workspaceId, choose] = useState(() => firstPlace(context, candidates, person.workspaces).workspaceId)
  const workspace = person.workspaces.find(({ id }) => id === workspaceId) ?? null
  const named = context.workspace
  return {
    workspaceId,
    choose,
    /** As the page shows it. */
    name: toldApart(person.workspaces).find(({ id }) => id === workspaceId)?.name ?? null,
    isOther: workspace !== null && named !== null && !isNamed(workspace, named),
  }
}

function returnOf(
  plan: DepositPlan | null,
  { request: { context, person }, wayBack }: DepositProps,
): { returning: ReturnPlan; grounds: Parameters<typeof planReturn>[0] } {
  const grounds = { context, bundle: plan, wayBack, isOwnServer: !person.signsIn }
  const returning = planReturn(grounds)
  const isRefusedHere = returning.by === 'refused' && plan !== null && plan.why_not === null
  return { returning: isRefusedHere ? { ...returning, reason: START_AGAIN } : returning, grounds }
}

function choiceOf({ bundle, bundle_id, plan }: DepositPlan, workspaceId: string): Choice {
  const keys = changedOf(plan).map(({ name }) => name)
  return {
    kind: 'deposit',
    isSecond: false,
    workspaceId,
    bundle: { id: bundle_id ?? '', name: bundle },
    keys,
  }
}
