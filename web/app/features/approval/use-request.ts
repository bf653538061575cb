import { useCallback, useEffect, useState } from 'react'
import type { ApprovalAnswer, Me, RequestContext, Tenant } from '../../lib/calls/answers.ts'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'
import { enterPerson } from '../../lib/calls/person.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { call } from './calls.ts'
import { keepChoice, keptChoice } from './kept.ts'
import {
  type Approver,
  type Choice,
  endOf,
  isOver,
  type RequestEnd,
  type RequestPhase,
} from './request-state.ts'
import { forgetWayBack } from './way-back.ts'

// Once approved, the terminal fetches within moments.
const WATCH_EVERY_MS = { open: 3_000, second: 3_000, held: 1_000, approved: 1_000 } as const

type SetState = (next: RequestPhase | ((state: RequestPhase) => RequestPhase)) => void

/** An approval request and what became of it: loaded, then watched until it ends. */
export function useRequest(requestId: string) {
  const [state, setState] = useState<RequestPhase>({ phase: 'loading' })
  const reload = useCallback(() => {
    setState({ phase: 'loading' })
    void load(requestId).then(setState)
  }, [requestId])
  useEffect(reload, [reload])
  useWatch({ requestId, state, setState, reload })
  const hasEnded = isOver(state)
  const delivered = state.phase === 'approved' && state.delivered ? state.choice : null
  useEffect(() => {
    if (hasEnded) forgetWayBack(requestId)
    if (delivered) keepChoice(requestId, { ...delivered, untilMs: Number.MAX_SAFE_INTEGER })
  }, [requestId, hasEnded, delivered])
  const end = useCallback((reason: RequestEnd) => setState({ phase: 'ended', end: reason }), [])
  const approved = (context: RequestContext, choice: Choice, answer: ApprovalAnswer) => {
    keepChoice(requestId, { ...choice, untilMs: Date.parse(context.expires_at) })
    setState(stateOfAnswer(context, choice, answer))
  }
  const recoded = (code: string, untilMs: number) =>
    setState((before) => (before.phase === 'held' ? { ...before, by: 'code', code, untilMs } : before))
  return { state, reload, end, approved, recoded }
}

function stateOfAnswer(
  context: RequestContext,
  choice: Choice,
  { release, approvals, later_until }: ApprovalAnswer,
): RequestPhase {
  if (later_until !== undefined) return { phase: 'ended', end: 'later' }
  if (release !== undefined) {
    const untilMs = serverNowMs() + release.expires_in * 1_000
    const code = release.by === 'code' ? release.code : null
    const isReturning = code === null
    return { phase: 'held', context, choice, by: release.by, code, untilMs, isKept: false, isReturning }
  }
  if (approvals !== undefined && approvals.given < approvals.needed)
    return { phase: 'second', context, choice }
  return { phase: 'approved', expiresAt: context.expires_at, choice, delivered: false }
}

async function load(requestId: string): Promise<RequestPhase> {
  const asked = { request_id: requestId }
  const kept = keptChoice(requestId)
  const besides = Promise.all([call('listCandidates', asked), call('getMe', {}), call('listTenants', {})])
  // All calls start at once; when the first fails, a failure of the others says nothing new.
  besides.catch(() => undefined)
  try {
    const context = await call('getRequestContext', asked)
    const after = stateAfterApproval(context, kept)
    if (after !== null) return after
    const [candidates, me, workspaces] = await besides
    enterPerson(me.user_id)
    return { phase: 'open', context, candidates, person: approver(me, workspaces) }
  } catch (error) {
    const end = endOf(describeFailure(error), null) ?? 'unreachable'
    // After its time, a request that nobody collected is gone too.
    if (end === 'gone' && kept !== null && serverNowMs() < (kept.untilMs ?? 0))
      return { phase: 'approved', expiresAt: '', choice: kept, delivered: true }
    return { phase: 'ended', end }
  }
}

function approver(me: Me, workspaces: readonly Tenant[]): Approver {
  const signsIn = me.auth_mode !== 'local'
  return { account: signsIn && me.email_verified ? me.email : me.username, signsIn, workspaces }
}

type RequestWatch = { requestId: string; state: RequestPhase; setState: SetState; reload: () => void }

function useWatch({ requestId, state, setState, reload }: RequestWatch): void {
  const isStill =
    state.phase === 'loading' || state.phase === 'ended' || (state.phase === 'approved' && state.delivered)
  const everyMs = isStill ? null : WATCH_EVERY_MS[state.phase]
  const kind = state.phase === 'held' || state.phase === 'approved' ? state.choice?.kind : null
  const isStoring = kind === 'deposit' || kind === 'proposal'
  const openVouch = state.phase === 'open' ? (state.context.vouch ?? null) : undefined
  const leftAt = 'context' in state ? state.context.left_at : undefined
  useEffect(() => {
    if (everyMs === null) return undefined
    const watch = async () => {
      try {
        const context = await call('getRequestContext', { request_id: requestId })
        // A deposit whose plan changed on its way back is open again. After a vouch, or when the command stops, the
        // server offers other choices, so load again.
        const isOtherVouch = openVouch !== undefined && openVouch !== (context.vouch ?? null)
        const isNew = isOtherVouch || context.left_at !== leftAt
        if ((isStoring && context.status === 'pending') || isNew) reload()
        else setState((before) => afterLook(before, context))
      } catch (error) {
        setState((before) => afterFailedLook(before, describeFailure(error)))
      }
    }
    const timer = setInterval(() => void watch(), everyMs)
    return () => clearInterval(timer)
  }, [requestId, everyMs, isStoring, openVouch, leftAt, setState, reload])
}

/** The state of a request that is approved or waits for more, as far as the server says; null: it is open to decide.
 * @param kept what this tab approved */
function stateAfterApproval(context: RequestContext, kept: Choice | null): RequestPhase | null {
  const { status, held, awaits_second, vouch, expires_at: expiresAt } = context
  if (status === 'ready') {
    if (kept === null) return { phase: 'ended', end: 'already_approved' }
    return { phase: 'approved', expiresAt, choice: kept, delivered: false }
  }
  if (status === 'held' && held) {
    const untilMs = Date.parse(held.until)
    const { by, kept: isKept = false } = held
    return { phase: 'held', context, choice: kept, by, code: null, untilMs, isKept, isReturning: false }
  }
  const isWaiting = awaits_second === true || (vouch === 'returned' && kept?.kind === 'vouch')
  return isWaiting && kept !== null ? { phase: 'second', context, choice: kept } : null
}

/** What a look at the request changes. An open request stays as the person sees it until another person acts. */
function afterLook(state: RequestPhase, context: RequestContext): RequestPhase {
  if (state.phase === 'loading' || state.phase === 'ended' || state.phase === 'approved') return state
  const next = stateAfterApproval(context, state.phase === 'open' ? null : state.choice)
  if (next === null) return state
  const isSame = state.phase === 'held' && next.phase === 'held' && state.isKept === next.isKept
  return isSame ? state : next
}

/** What a failed look says about the request. It is gone when the terminal has fetched it. */
function afterFailedLook(state: RequestPhase, failure: Failure): RequestPhase {
  if (failure.status !== 404 || state.phase === 'loading' || state.phase === 'ended') return state
  const expiresAt = state.phase === 'approved' ? state.expiresAt : state.context.expires_at
  const end = endOf(failure, expiresAt) ?? 'gone'
  const choice = state.phase === 'open' ? null : state.choice
  if (choice === null || end === 'denied' || end === 'withdrawn' || end === 'later')
    return { phase: 'ended', end }
  if (end === 'expired') return { phase: 'ended', end: state.phase === 'approved' ? 'not_collected' : end }
  return { phase: 'approved', expiresAt, choice, delivered: true }
}
