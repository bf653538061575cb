import { useState } from 'react'
import type { Failure } from '../../lib/calls/failure.ts'
import { call } from './calls.ts'
import { useTypedCode } from './check-code.tsx'
import { WORDS } from './kind-words.ts'
import type { ApprovalOffer, Manner } from './offer.ts'
import { useOneCall } from './one-call.ts'
import { inWorkspace, type PlaceName } from './place/place.ts'
import type { ChosenPlace } from './place/use-place.ts'
import { offeredHours, offeredTask, repositoryOf, useRemembered } from './remember-choice.tsx'
import { isOtherBundle } from './request/reasons.tsx'
import { endOf, kindOf, type RequestView } from './request-state.ts'
import { asksForTypedCode, asksOthers, isUnbound, planReturn, type ReturnPlan } from './return-plan.ts'

/** Approve and deny: nothing until all that a decision needs is there, and a question where something is strange. */
export function useDecision(asking: RequestView, place: ChosenPlace, offer: ApprovalOffer) {
  const { requestId, request, openedByLink, onEnd } = asking
  const [isConfirming, setConfirming] = useState(false)
  const way = useWay(asking, offer)
  const { plan, code } = way
  const deciding = { asking, place, offer, way }
  const { attempt, setProblem, ...shown } = useOneCall<'approve' | 'deny'>((failure) => {
    if (offer.onFailure?.(failure) === true) return null
    const end = endOf(failure, request.context.expires_at)
    if (end !== null) onEnd(end)
    else if (failure.details['field'] === 'user_code') code.refuse(wrongCode(failure))
    else return failure.message
    return null
  })
  const send = () => {
    setConfirming(false)
    void attempt('approve', () => sendApproval(deciding))
  }
  // A person who is asked gets here by a link.
  const isLured = openedByLink && !way.hasVouched
  const rule = way.remember.task?.rule
  const isUnusual =
    isLured || isOtherBundle(asking, offer.bundle) || offer.doubts.length > 0 || rule !== undefined
  const approve = () => {
    const reason = whyNotYet(deciding)
    if (reason !== null) return setProblem(reason)
    if (code.isMissing) return code.refuse('Type all eight letters of the check code.')
    if (isUnusual) return setConfirming(true)
    send()
  }
  const deny = () =>
    void attempt('deny', async () => {
      // If no one can approve, the terminal learns why.
      const reason = plan.by === 'refused' ? plan.code : offer.action === null ? 'no_such_bundle' : undefined
      const query = reason === undefined ? {} : { reason }
      const where = place.workspaceId === null ? {} : inWorkspace(place.workspaceId)
      await call('denyRequest', { request_id: requestId }, { query, ...where })
      onEnd('denied')
    })
  const leaveOut = offer.leaveOut && {
    ...offer.leaveOut,
    act: () => {
      setProblem(null)
      offer.leaveOut?.act()
    },
  }
  const cancel = () => setConfirming(false)
  const confirmation = isConfirming ? { send, cancel } : null
  const { keys, plan: planned } = offer.approval ?? {}
  // Commands that start with a task come late: what is approved must be in view for a while.
  const also = way.remember.task?.also.map(({ request_id }) => request_id)
  const choice = JSON.stringify([place.workspaceId, offer.bundle?.id, keys, planned, also])
  return { ...way, ...shown, approve, deny, leaveOut, isLured, confirmation, choice }
}

/** How an approval returns, and what goes with it. */
function useWay({ request: { context, person }, wayBack }: RequestView, { rules, reload }: ApprovalOffer) {
  const grounds = { context, bundle: rules, wayBack, isOwnServer: !person.signsIn }
  const plan = planReturn(grounds)
  const code = useTypedCode(asksForTypedCode(plan, grounds))
  const own = asksOthers(rules) ? null : rules
  const remember = useRemembered(
    { hours: offeredHours(own, plan), task: offeredTask(own, plan), repository: repositoryOf(context, own) },
    reload,
  )
  return {
    isUnbound: isUnbound(grounds),
    plan,
    code,
    remember,
    hasVouched: rules?.vouch?.counts === true || rules?.first_approval?.returned === true,
    isSecond: (rules?.first_approval ?? rules?.vouch ?? null) !== null || context.vouch === 'returned',
  }
}

type DecisionInput = {
  asking: RequestView
  place: ChosenPlace
  offer: ApprovalOffer
  way: ReturnType<typeof useWay>
}

async function sendApproval({ asking, place, offer, way }: DecisionInput): Promise<void> {
  const { plan, code, remember, isSecond } = way
  const { approval } = offer
  const { workspaceId } = place
  if (approval === null || workspaceId === null || plan.by === 'refused') return
  const { bundle, keys, send } = approval
  await allowTasks(remember, bundle, workspaceId)
  const manner = mannerOf(plan.by, code.field.typed, remember)
  const answer = await send({ request_id: asking.requestId, ...manner }, inWorkspace(workspaceId))
  const kind = approval.kind ?? kindOf(asking.request.context)
  const deciders = offer.rules?.why_not?.who ?? []
  const mayBeLater = offer.rules?.may_be_later === true
  asking.onApproved({ kind, isSecond, mayBeLater, workspaceId, bundle, keys, deciders }, answer)
}

/** Why Approve can do nothing; null: it can. */
function whyNotYet({ asking, place, offer, way }: DecisionInput): string | null {
  const { phase, problem = null } = offer
  if (place.workspaceId === null) return 'Choose a workspace first.'
  if (phase !== 'ready') return WORDS[kindOf(asking.request.context)].notYet[phase]
  return way.plan.by === 'refused' ? way.plan.reason : problem
}

type Remembered = Pick<ReturnType<typeof useRemembered>, 'hours' | 'isForAll' | 'task'>

// The owner has confirmed this change of the rules.
async function allowTasks({ task }: Remembered, bundle: PlaceName, workspaceId: string): Promise<void> {
  if (!task?.rule) return
  const { folder } = task.rule
  const rules = { tasks: 'allow', agents: 'remember' } as const
  if (folder === null)
    await call('changeBundlePolicy', { bundle_id: bundle.id, ...rules }, inWorkspace(workspaceId))
  else await call('changeTenantPolicy', { folder, ...rules }, inWorkspace(workspaceId))
}

function mannerOf(
  by: Exclude<ReturnPlan['by'], 'refused'>,
  typedCode: string | null,
  { hours, isForAll, task }: Remembered,
): Manner {
  return {
    ...(typedCode === null ? {} : { user_code: typedCode }),
    ...(by === 'none' ? {} : by === 'later' ? { later: true } : { release: by }),
    ...(hours === 0 ? {} : { remember_hours: hours }),
    ...(isForAll ? { remember_for: 'repository' } : {}),
    ...(task ? { remember_for: 'task', also: task.also.map(({ request_id }) => request_id) } : {}),
  }
}

function wrongCode({ details }: Failure): string {
  const left = Number(details['attempts_left'])
  const tries = Number.isNaN(left) ? '' : ` ${left} ${left === 1 ? 'try is' : 'tries are'} left.`
  return `That is not the code of this request.${tries}`
}
