import { useCallback, useEffect, useState } from 'react'
import type { Me, RequestContext, Tenant } from '../../lib/answers.ts'
import { call } from '../../lib/api.ts'
import { describeFailure, type Failure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { type Approver, type Choice, type End, endOf, type RequestState } from './request-state.ts'

// Once approved, the terminal fetches within moments.
const WATCH_EVERY_MS = { open: 3_000, approved: 1_000 } as const

type SetState = (next: RequestState | ((state: RequestState) => RequestState)) => void

/** An approval request as it stands: loaded, then watched until it ends. */
export function useRequest(requestId: string) {
  const [state, setState] = useState<RequestState>({ phase: 'loading' })
  const reload = useCallback(() => {
    setState({ phase: 'loading' })
    void load(requestId).then(setState)
  }, [requestId])
  useEffect(reload, [reload])
  useWatch(requestId, state, setState)
  const end = useCallback((reason: End) => setState({ phase: 'ended', end: reason }), [])
  const approved = (context: RequestContext, choice: Choice) =>
    setState({ phase: 'approved', context, choice, delivered: false })
  return { state, reload, end, approved }
}

async function load(requestId: string): Promise<RequestState> {
  const params = { request_id: requestId }
  const besides = Promise.all([
    call('GET', '/api/v1/requests/{request_id}/candidates', { params }),
    call('GET', '/api/v1/me'),
    call('GET', '/api/v1/tenants'),
  ])
  // All calls start at once; when the first fails, a failure of the others says nothing new.
  besides.catch(() => undefined)
  try {
    const context = await call('GET', '/api/v1/requests/{request_id}/context', { params })
    if (context.status === 'ready') return { phase: 'ended', end: 'already_approved' }
    const [candidates, me, workspaces] = await besides
    return { phase: 'open', context, candidates, person: approver(me, workspaces) }
  } catch (error) {
    return { phase: 'ended', end: endOf(describeFailure(error), null, serverNowMs()) ?? 'unreachable' }
  }
}

function approver(me: Me, workspaces: readonly Tenant[]): Approver {
  const signsIn = me.auth_mode !== 'local'
  return { account: signsIn ? me.email || me.username : me.username, signsIn, workspaces }
}

function useWatch(requestId: string, state: RequestState, setState: SetState): void {
  const isOver =
    state.phase === 'loading' || state.phase === 'ended' || (state.phase === 'approved' && state.delivered)
  const everyMs = isOver ? null : WATCH_EVERY_MS[state.phase]
  useEffect(() => {
    if (everyMs === null) return undefined
    const timer = setInterval(() => void look(requestId).then((seen) => setState(seen)), everyMs)
    return () => clearInterval(timer)
  }, [requestId, everyMs, setState])
}

/** Look once whether the request still stands; what it answers changes the state that is then current. */
async function look(requestId: string): Promise<(state: RequestState) => RequestState> {
  const params = { request_id: requestId }
  try {
    const { status } = await call('GET', '/api/v1/requests/{request_id}/context', { params })
    return (state) =>
      state.phase === 'open' && status === 'ready' ? { phase: 'ended', end: 'already_approved' } : state
  } catch (error) {
    const failure = describeFailure(error)
    return (state) => afterFailedLook(state, failure)
  }
}

function afterFailedLook(state: RequestState, failure: Failure): RequestState {
  if (failure.status !== 404 || state.phase === 'loading' || state.phase === 'ended') return state
  const end = endOf(failure, state.context.expires_at, serverNowMs()) ?? 'gone'
  if (state.phase === 'open' || end === 'denied' || end === 'withdrawn') return { phase: 'ended', end }
  return end === 'expired' ? { phase: 'ended', end: 'not_collected' } : { ...state, delivered: true }
}
