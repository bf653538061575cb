import { type ReactNode, useState } from 'react'
import type { DepositPlan, RequestContext } from '../../../lib/calls/answers.ts'
import type { Failure } from '../../../lib/calls/failure.ts'
import { treatmentOf, type ValueTreatment } from '../../../lib/rules/treatment.ts'
import { changedOf } from '../../../lib/words/import-steps.ts'
import { call } from '../calls.ts'
import { useLoaded, WhenLoaded } from '../loaded.tsx'
import type { ApprovalOffer, OfferApproval } from '../offer.ts'
import { type BundlePlaceIds, inWorkspace } from '../place/place.ts'
import { endOf, type RequestView } from '../request-state.ts'
import { Names } from '../shown-names.tsx'
import { actionOf, dangersOf, proposing, removedNames, stepsOf } from './deposit-plan.tsx'

/** What a terminal wants to store: where it goes, and what happens to each variable. */
export function useDepositOffer(asking: RequestView, { workspaceId }: BundlePlaceIds): ApprovalOffer {
  const { suggested_bundle_id, deposit = null } = asking.request.context
  const name = suggested_bundle_id ?? ''
  const [treatment, setTreatment] = useState<ValueTreatment>(null)
  const [isReplanned, setReplanned] = useState(false)
  const [readable, setReadable] = useState<string[]>([])
  const loaded = usePlan(asking, workspaceId, treatment)
  const { plan = null, DepositNotices } = loaded.value ?? {}
  return {
    phase: loaded.phase,
    rules: plan,
    bundle: null,
    ...(plan === null ? {} : { production: plan.production, dangers: dangersOf(plan) }),
    content: (
      <WhenLoaded of={loaded} none="Choose a workspace to see the plan." loading="Loading the plan…">
        {({ plan: ready, DepositList }) => (
          <DepositList
            plan={ready}
            deposit={deposit}
            readable={readable}
            onReadable={setReadable}
            onChoose={(variable, choice) => setTreatment(treatmentOf(ready, variable, choice))}
          />
        )}
      </WhenLoaded>
    ),
    notices: plan && DepositNotices && (
      <DepositNotices plan={plan} isReplanned={isReplanned} requestId={asking.requestId} />
    ),
    action: plan === null ? null : plan.proposal ? proposing(namesIn(deposit), name) : actionOf(plan, name),
    doubts: plan === null ? [] : doubtsOf(plan),
    approval:
      plan &&
      (plan.proposal
        ? { ...approvalOf(plan, namesIn(deposit), { propose: { readable } }), kind: 'proposal' }
        : approvalOf(plan, namesOf(changedOf(stepsOf(plan))), treatment)),
    onFailure: ({ code }) => {
      if (code !== 'plan_changed') return false
      setReplanned(true)
      loaded.reload()
      return true
    },
  }
}

function usePlan(
  { requestId, request, onEnd }: RequestView,
  workspaceId: string | null,
  treatment: ValueTreatment,
) {
  const onFailure = (failure: Failure) => {
    const end = endOf(failure, request.context.expires_at)
    if (end === null || end === 'forbidden') return false
    onEnd(end)
    return true
  }
  const load = async (chosen: { workspaceId: string; treatment: ValueTreatment }) => {
    const asked = { request_id: requestId, ...chosen.treatment }
    // What shows the plan comes with it, so that the page shows all of it at once.
    const [plan, { DepositList }, { DepositNotices }] = await Promise.all([
      call('planDeposit', asked, inWorkspace(chosen.workspaceId)),
      import('./deposit-list.tsx'),
      import('./deposit-notices.tsx'),
    ])
    return { plan, DepositList, DepositNotices }
  }
  return useLoaded(workspaceId === null ? null : { workspaceId, treatment }, load, { keeps: true, onFailure })
}

type How = ValueTreatment | { propose: { readable: string[] } }

function approvalOf({ bundle, bundle_id, plan_id }: DepositPlan, keys: string[], how: How): OfferApproval {
  return {
    bundle: { id: bundle_id ?? '', name: bundle },
    keys,
    plan: plan_id,
    send: (request, options) => call('approveDeposit', { ...request, plan_id, ...how }, options),
  }
}

const namesOf = (entries: readonly { name: string }[]) => entries.map(({ name }) => name)

function namesIn(deposit: RequestContext['deposit']): string[] {
  return [...namesOf(deposit?.entries ?? []), ...(deposit?.detach ?? [])]
}

export function doubtsOf(plan: DepositPlan): ReactNode[] {
  const { changes, production } = plan
  const removed = production.length > 0 ? removedNames(plan) : []
  return [
    removed.length > 0 && (
      <p key="removed">
        Production no longer gets <Names names={removed} />.
      </p>
    ),
    changes.length > 0 && (
      <p key="changes">
        This changes what {changes.length === 1 ? 'another bundle delivers' : 'other bundles deliver'}:{' '}
        <Names names={changes} />.
      </p>
    ),
  ].filter((doubt) => doubt !== false)
}
