import { spanText, TIMES } from '@keyferry/contract/limits'
import { type ReactNode, useState } from 'react'
import type { DepositPlan, DepositStep, ImportChoice, RequestContext } from '../../../lib/calls/answers.ts'
import type { Failure } from '../../../lib/calls/failure.ts'
import { treatmentOf, type ValueTreatment } from '../../../lib/rules/treatment.ts'
import { changedOf, planText } from '../../../lib/words/import-steps.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { StepRow } from '../../../ui/import-step/step-row.tsx'
import { ValueChange } from '../../../ui/import-step/value-change.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { call } from '../calls.ts'
import { useLoaded, WhenLoaded } from '../loaded.tsx'
import type { ApprovalOffer, OfferApproval } from '../offer.ts'
import { type BundlePlaceIds, inWorkspace } from '../place/place.ts'
import { endOf, type RequestView } from '../request-state.ts'
import { Names } from '../shown-names.tsx'
import { actionOf, DepositNotices, dangersOf, proposing, removedNames } from './deposit-plan.tsx'

/** What a terminal wants to store: where it goes, and what happens to each variable. */
export function useDepositOffer(asking: RequestView, { workspaceId }: BundlePlaceIds): ApprovalOffer {
  const { suggested_bundle_id, deposit = null } = asking.request.context
  const name = suggested_bundle_id ?? ''
  const [treatment, setTreatment] = useState<ValueTreatment>(null)
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
  const load = (chosen: { workspaceId: string; treatment: ValueTreatment }) =>
    call('planDeposit', { request_id: requestId, ...chosen.treatment }, inWorkspace(chosen.workspaceId))
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
      <p role="status" className="py-2 text-ink-soft">
        {planText(plan)}
      </p>
      <ul aria-label="Variables" className="mb-2 divide-y divide-line rounded-md border border-line">
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

type DepositProposal = NonNullable<DepositPlan['proposal']>

const LIST = new Intl.ListFormat('en', { type: 'disjunction' })

/** Why the person can only propose, and who decides then. */
function ProposalNotice({ proposal: { owners, error } }: { proposal: DepositProposal }) {
  return (
    <Notice tone="caution" role="alert" className="my-2">
      <strong>{error}. Propose it to the owners.</strong> The server keeps it encrypted for{' '}
      {spanText(TIMES.proposalSeconds)}, until {LIST.format(owners)} decides.
    </Notice>
  )
}

type ProposedListProps = {
  deposit: NonNullable<RequestContext['deposit']>
  proposal: DepositProposal
  readable: readonly string[]
  onReadable: (names: string[]) => void
}

/** What would be proposed. No one sees a secret value; the person can let the owners read one. */
function ProposedList({ deposit, proposal, readable, onReadable }: ProposedListProps) {
  const toggle = (name: string, isOn: boolean) =>
    onReadable(isOn ? [...readable, name] : readable.filter((each) => each !== name))
  return (
    <ul aria-label="Variables" className="mb-2 divide-y divide-line rounded-md border border-line">
      {deposit.detach.map((name) => (
        <li key={name} className="px-3 py-2.5">
          <p className="font-mono text-sm font-medium break-all">{name}</p>
          <p className="text-xs text-ink-soft">No longer delivered</p>
        </li>
      ))}
      {deposit.entries.map(({ name, is_secret }) => (
        <li key={name} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-3 py-2.5">
          <div className="min-w-0 flex-1 basis-44">
            <p className="font-mono text-sm font-medium break-all">{name}</p>
            <ValueChange before={undefined} after={proposal.values[name]} />
          </div>
          {is_secret === false ? (
            <p className="text-xs text-ink-soft">Owners can read it</p>
          ) : (
            <Checkbox
              className="flex items-center gap-2 text-sm"
              checked={readable.includes(name)}
              onChange={(isOn) => toggle(name, isOn)}
            >
              Not secret: owners can read it
            </Checkbox>
          )}
        </li>
      ))}
    </ul>
  )
}
