import type { RequestContext } from '../../lib/calls/answers.ts'
import type { Failure } from '../../lib/calls/failure.ts'
import { type Choice, endOf, type RequestState } from './request-state.ts'

/** The state of a request that is approved or waits for more, as far as the server says; null: it is open to decide.
 * @param kept what this tab approved */
export function stateAfterApproval(context: RequestContext, kept: Choice | null): RequestState | null {
  const { status, held, awaits_second, vouch, expires_at: expiresAt } = context
  if (status === 'ready') {
    if (kept === null) return { phase: 'ended', end: 'already_approved' }
    return { phase: 'approved', expiresAt, choice: kept, delivered: false }
  }
  if (status === 'held' && held) {
    const untilMs = Date.parse(held.until)
    return { phase: 'held', context, choice: kept, by: held.by, code: null, untilMs, isReturning: false }
  }
  const isWaiting = awaits_second === true || (vouch === 'returned' && kept?.kind === 'vouch')
  return isWaiting && kept !== null ? { phase: 'second', context, choice: kept } : null
}

/** What a look at the request changes. An open request stays as the person sees it until another person acts. */
export function afterLook(state: RequestState, context: RequestContext): RequestState {
  if (state.phase === 'loading' || state.phase === 'ended' || state.phase === 'approved') return state
  const next = stateAfterApproval(context, state.phase === 'open' ? null : state.choice)
  if (next === null) return state
  return state.phase === 'held' && next.phase === 'held' ? state : next
}

/** What a failed look says about the request. It is gone when the terminal has fetched it. */
export function afterFailedLook(state: RequestState, failure: Failure, nowMs?: number): RequestState {
  if (failure.status !== 404 || state.phase === 'loading' || state.phase === 'ended') return state
  const expiresAt = state.phase === 'approved' ? state.expiresAt : state.context.expires_at
  const end = endOf(failure, expiresAt, nowMs) ?? 'gone'
  const choice = state.phase === 'open' ? null : state.choice
  if (choice === null || end === 'denied' || end === 'withdrawn') return { phase: 'ended', end }
  if (end === 'expired') return { phase: 'ended', end: state.phase === 'approved' ? 'not_collected' : end }
  return { phase: 'approved', expiresAt, choice, delivered: true }
}
