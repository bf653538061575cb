import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { ImportChoice, Proposal, ProposalPlan } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { type Treatment, treatmentOf } from '../../lib/rules/treatment.ts'
import { counted } from '../../lib/words/counted.ts'
import { changedCount, planText } from '../../lib/words/import-steps.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly, PageNote } from '../../ui/page-note.tsx'
import { notify } from '../../ui/toast-store.ts'
import { nameOf, senderText } from './proposal-words.ts'
import { ProposedStep } from './proposed-step.tsx'

/** One proposal: who sent it, what storing it would do, and the decision. */
export function ProposalPage({ id }: { id: string }) {
  const proposals = useAnswer('listProposals', {})
  return (
    <OwnersOnly title="Proposal" what="what a proposal would do">
      <Loaded query={proposals} what="the proposal">
        {(all) => {
          const proposal = all.find((each) => each.id === id && each.state === 'open')
          return proposal === undefined ? <Ended /> : <Open proposal={proposal} />
        }}
      </Loaded>
    </OwnersOnly>
  )
}

function Ended() {
  return (
    <>
      <PageNote title="This proposal has ended">
        It was stored, declined or withdrawn, or it expired.
      </PageNote>
      <Link href="/waiting" className="link mt-4 inline-block">
        All that waits for you
      </Link>
    </>
  )
}

function Open({ proposal }: { proposal: Proposal }) {
  const { id, bundle, proposer, created_at, expires_at } = proposal
  const [treatment, setTreatment] = useState<Treatment>(null)
  const [marks, setMarks] = useState<Record<string, boolean>>({})
  const choice = { ...treatment, marks }
  const plan = useAnswer(
    'planProposal',
    { proposal_id: id, ...choice },
    { placeholderData: (before) => before },
  )
  const choose = (name: string, chosen: ImportChoice) =>
    plan.data && setTreatment(treatmentOf(plan.data, name, chosen))
  return (
    <div className="max-w-3xl">
      <PageHeading
        title={`Proposal for ${bundle.name}`}
        intro={`Sent ${ago(created_at)}, ends ${ahead(expires_at)}.`}
      />
      <Notice tone="plain" className="mb-4">
        You cannot see a secret value; it comes from {nameOf(proposer)}, {senderText(proposal)}. If you expect
        nothing from them, ask them before you store it.
      </Notice>
      <Loaded query={plan} what="the plan">
        {(ready) => (
          <>
            <Warnings plan={ready} />
            <p role="status" className="mb-2 text-sm text-ink-soft">
              {planText(ready.plan)}
            </p>
            <ul
              aria-label="Variables"
              className="divide-y divide-line rounded-lg border border-line bg-surface"
            >
              {ready.plan.map((step) => (
                <ProposedStep
                  key={step.name}
                  step={step}
                  onChoose={choose}
                  onMark={(name, isSecret) => setMarks({ ...marks, [name]: isSecret })}
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <Decision proposal={proposal} plan={plan.data} choice={choice} />
    </div>
  )
}

function Warnings({ plan: { production, changes } }: { plan: ProposalPlan }) {
  return (
    <>
      {production.length > 0 && (
        <Notice tone="danger" className="mb-3">
          <strong>Production:</strong> this changes {production.join(', ')}.
        </Notice>
      )}
      {changes.length > 0 && (
        <Notice tone="danger" className="mb-3">
          <strong>Other bundles change too:</strong> {changes.join(', ')}.
        </Notice>
      )}
    </>
  )
}

// Not the list that this page shows: the page leaves it.
const AFTER = { refreshes: ['listWaiting', 'planProposal', ...LIBRARY] as const }

type DecisionProps = { proposal: Proposal; plan: ProposalPlan | undefined; choice: object }

function Decision({ proposal: { id, bundle, proposer }, plan, choice }: DecisionProps) {
  const [, navigate] = useLocation()
  const [asks, setAsks] = useState(false)
  const store = useChange('acceptProposal', { proposal_id: id }, AFTER)
  const decline = useChange('endProposal', { proposal_id: id }, AFTER)
  const ended = (text: string) => ({
    onSuccess: () => {
      navigate('/waiting')
      notify({ text })
    },
  })
  const send = () => {
    setAsks(false)
    if (plan !== undefined)
      store.mutate({ plan_id: plan.plan_id, ...choice }, ended(`Stored in ${bundle.name}.`))
  }
  const isAsking = plan !== undefined && (plan.production.length > 0 || plan.changes.length > 0)
  const hasChanged = store.error !== null && describeFailure(store.error).code === 'plan_changed'
  return (
    <div className="mt-5 space-y-3">
      {hasChanged ? (
        <Notice tone="caution" role="alert">
          The library changed, so nothing was stored. This is the plan as it is now: check it, then store
          again.
        </Notice>
      ) : (
        <FailureNotice error={store.error ?? decline.error} />
      )}
      <div className="flex flex-wrap gap-3">
        <Button
          label="Decline"
          look="danger"
          busy={decline.isPending}
          onClick={() => decline.mutate(undefined, ended('Declined. The values are destroyed.'))}
        />
        <Button
          label={`Store ${counted(changedCount(plan?.plan ?? []), 'variable')}`}
          look="primary"
          disabled={plan === undefined}
          busy={store.isPending}
          onClick={() => (isAsking ? setAsks(true) : send())}
        />
      </div>
      {asks && plan !== undefined && (
        <ConfirmDialog
          title="Store anyway?"
          action="Store anyway"
          onConfirm={send}
          onClose={() => setAsks(false)}
        >
          <Warnings plan={plan} />
          <p>Only {nameOf(proposer)} knows the secret values.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
