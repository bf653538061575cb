import { useCallback, useEffect, useState } from 'react'
import type { DepositPlan, ImportChoice } from '../../../lib/answers.ts'
import { call } from '../../../lib/api.ts'
import { describeFailure, type Failure } from '../../../lib/failure.ts'
import { choiceOf } from '../../../lib/import-steps.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { inWorkspace } from '../place.ts'
import { type End, endOf } from '../request-state.ts'

export type PlanState =
  | { phase: 'none' }
  | { phase: 'loading' }
  | { phase: 'ready'; plan: DepositPlan }
  | { phase: 'failed'; failure: Failure }

/** How the approver wants variables treated; null: as the terminal asked. */
export type Treatment = { own: string[]; share: string[]; replace: string[] } | null

type Planning = {
  requestId: string
  workspaceId: string | null
  expiresAt: string
  onEnd: (end: End) => void
}

/** What an approval would do in the chosen workspace. An answer that comes after another choice is dropped, and the plan that
 * is there stays in view until the next one comes. */
export function useDepositPlan({ requestId, workspaceId, expiresAt, onEnd }: Planning) {
  const [state, setState] = useState<PlanState>({ phase: 'none' })
  const [treatment, setTreatment] = useState<Treatment>(null)
  const load = useCallback(() => {
    if (workspaceId === null) return setState({ phase: 'none' })
    let current = true
    setState((before) => (before.phase === 'ready' ? before : { phase: 'loading' }))
    const fail = (failure: Failure) => {
      const end = endOf(failure, expiresAt, serverNowMs())
      if (end === null || end === 'forbidden') setState({ phase: 'failed', failure })
      else onEnd(end)
    }
    const options = { params: { request_id: requestId }, headers: inWorkspace(workspaceId) }
    call('POST', '/api/v1/requests/{request_id}/deposit-plan', { ...options, body: treatment ?? {} }).then(
      (plan) => current && setState({ phase: 'ready', plan }),
      (error: unknown) => current && fail(describeFailure(error)),
    )
    return () => {
      current = false
    }
  }, [requestId, workspaceId, expiresAt, onEnd, treatment])
  useEffect(load, [load])
  const plan = state.phase === 'ready' ? state.plan : null
  const choose = (name: string, choice: ImportChoice) =>
    plan !== null && setTreatment(treatmentOf(plan, name, choice))
  return { state, plan, treatment, choose, reload: load }
}

function treatmentOf({ plan }: DepositPlan, name: string, choice: ImportChoice): NonNullable<Treatment> {
  const lists = { own: [] as string[], share: [] as string[], replace: [] as string[] }
  for (const step of plan) {
    if (step.choices.length === 0) continue
    const chosen = step.name === name ? choice : choiceOf(step)
    if (chosen !== '') lists[chosen].push(step.name)
  }
  return lists
}
