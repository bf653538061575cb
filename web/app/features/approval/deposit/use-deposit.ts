import { useState } from 'react'
import type { DepositPlan } from '../../../lib/answers.ts'
import { call } from '../../../lib/api.ts'
import { toldApart } from '../../../lib/workspace-names.ts'
import { firstPlace, inWorkspace, isNamed } from '../place.ts'
import type { Choice, FormProps, OpenRequest } from '../request-state.ts'
import { mustTypeCode, planReturn, returnFields } from '../return-plan.ts'
import { useOneDecision } from '../use-decision.ts'
import { useTypedCode } from '../use-typed-code.ts'
import { changedOf, doubtsOf } from './plan-facts.ts'
import { type PlanState, useDepositPlan } from './use-deposit-plan.ts'

const NO_PLAN_YET: Readonly<Record<PlanState['phase'], string>> = {
  none: 'Choose a workspace first.',
  loading: 'The plan is still loading.',
  failed: 'The plan could not be loaded.',
  ready: '',
}

/** A deposit to decide on: where it goes, what it does, how the approval returns, and the decision. */
export function useDeposit({ requestId, request, openedByLink, wayBack, onApproved, onEnd }: FormProps) {
  const { context, person } = request
  const place = useWorkspaceChoice(request)
  const { workspaceId } = place
  const planning = useDepositPlan({ requestId, workspaceId, expiresAt: context.expires_at, onEnd })
  const { plan } = planning
  const grounds = { context, bundle: plan, wayBack, isOwnServer: !person.signsIn }
  const returning = planReturn(grounds)
  const code = useTypedCode(mustTypeCode(returning, grounds))
  const decision = useOneDecision({ requestId, context, onEnd, onWrongCode: code.refuse })
  const [isConfirming, setConfirming] = useState(false)
  const [isReplanned, setReplanned] = useState(false)

  const send = () => {
    setConfirming(false)
    if (plan === null || workspaceId === null || returning.by === 'refused') return
    const body = {
      plan_id: plan.plan_id,
      ...planning.treatment,
      ...returnFields(returning.by, code.field.typed),
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
  const deny = () => decision.deny(returning)
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
