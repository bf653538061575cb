import { type ReactNode, useState } from 'react'
import type { DepositPlan, DepositStep, ImportChoice, RequestContext } from '../../../lib/calls/answers.ts'
import type { Failure } from '../../../lib/calls/failure.ts'
import { type Treatment, treatmentOf } from '../../../lib/rules/treatment.ts'
import { changedOf, planText } from '../../../lib/words/import-steps.ts'
import { StepRow } from '../../../ui/import-step/step-row.tsx'
import { call } from '../calls.ts'
import { useLoaded, WhenLoaded } from '../loaded.tsx'
import type { Approval, Offer } from '../offer.ts'
import { inWorkspace, type Place } from '../place/place.ts'
import { type Asking, endOf } from '../request-state.ts'
import { Names } from '../shown-names.tsx'
import { DepositNotices, dangersOf } from './deposit-notices.tsx'
import { actionOf, proposing, removedNames } from './deposit-plan.ts'
import { ProposalNotice, ProposedList } from './proposed-list.tsx'

/** What a terminal wants to store: where it goes, and what happens to each variable. */
export function useDepositOffer(asking: Asking, { workspaceId }: Place): Offer {
  const { suggested_bundle_id, deposit = null } = asking.request.context
  const name = suggested_bundle_id ?? ''
  const [treatment, setTreatment] = useState<Treatment>(null)
  const [isReplanned, setReplanned] = useState(false)
  const [readable, setReadable] = useState<string[]>([])
  const loaded = usePlan(asking, workspaceId, treatment)
  const plan = loaded.value
  return {
    phase: loaded.phase,
    rules: plan,
    bundle: null,
    ...(plan === null ? {} : { production: plan.production, dangers: dangersOf(plan) }),
    content: (
      <WhenLoaded of={loaded} none="Choose a workspace to see the plan." loading="Loading the plan…">
        {(ready) =>
          ready.proposal && deposit ? (
            <ProposedList
              deposit={deposit}
              proposal={ready.proposal}
              readable={readable}
              onReadable={setReadable}
            />
          ) : (
            <Plan
              plan={ready.plan}
              onChoose={(variable, choice) => setTreatment(treatmentOf(ready, variable, choice))}
            />
          )
        }
      </WhenLoaded>
    ),
    notices: (
      <>
        <DepositNotices plan={plan} isReplanned={isReplanned} requestId={asking.requestId} />
        {plan?.proposal && <ProposalNotice proposal={plan.proposal} />}
      </>
    ),
    action: plan === null ? null : plan.proposal ? proposing(namesIn(deposit), name) : actionOf(plan, name),
    doubts: plan === null ? [] : doubtsOf(plan),
    approval:
      plan &&
      (plan.proposal
        ? { ...approvalOf(plan, namesIn(deposit), { propose: { readable } }), kind: 'proposal' }
        : approvalOf(plan, namesOf(changedOf(plan.plan)), treatment)),
    onFailure: ({ code }) => {
      if (code !== 'plan_changed') return false
      setReplanned(true)
      loaded.reload()
      return true
    },
  }
}

function usePlan({ requestId, request, onEnd }: Asking, workspaceId: string | null, treatment: Treatment) {
  const onFailure = (failure: Failure) => {
    const end = endOf(failure, request.context.expires_at)
    if (end === null || end === 'forbidden') return false
    onEnd(end)
    return true
  }
  const load = (chosen: { workspaceId: string; treatment: Treatment }) =>
    call('planDeposit', { request_id: requestId, ...chosen.treatment }, inWorkspace(chosen.workspaceId))
  return useLoaded(workspaceId === null ? null : { workspaceId, treatment }, load, { keeps: true, onFailure })
}

type How = Treatment | { propose: { readable: string[] } }

function approvalOf({ bundle, bundle_id, plan_id }: DepositPlan, keys: string[], how: How): Approval {
  return {
    bundle: { id: bundle_id ?? '', name: bundle },
    keys,
    plan: plan_id,
    send: ({ request, options }, manner) =>
      call('approveDeposit', { ...request, plan_id, ...how, ...manner }, options),
  }
}

const namesOf = (entries: readonly { name: string }[]) => entries.map(({ name }) => name)

function namesIn(deposit: RequestContext['deposit']): string[] {
  return [...namesOf(deposit?.entries ?? []), ...(deposit?.detach ?? [])]
}

function doubtsOf(plan: DepositPlan): ReactNode[] {
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

type StepsProps = {
  plan: readonly DepositStep[]
  onChoose: (name: string, choice: ImportChoice) => void
}

function Plan({ plan, onChoose }: StepsProps) {
  return (
    <>
      <p role="status" className="mb-2 text-sm text-ink-soft">
        {planText(plan)}
      </p>
      <ul aria-label="Variables" className="divide-y divide-line rounded-lg border border-line">
        {removedFirst(plan).map((step) => (
          <StepRow key={step.name} step={step} onChoose={onChoose} />
        ))}
      </ul>
    </>
  )
}

// No other order: a row must not move when the person chooses what happens to it.
function removedFirst(plan: readonly DepositStep[]): DepositStep[] {
  return plan.toSorted((a, b) => Number(b.action === 'detach') - Number(a.action === 'detach'))
}
