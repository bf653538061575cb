import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ImportChoice, Proposal, ProposalPlan } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { treatmentOf, type ValueTreatment } from '../../lib/rules/treatment.ts'
import { planText, storing } from '../../lib/words/import-steps.ts'
import { nameOf, senderText } from '../../lib/words/proposal-words.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { Button } from '../../ui/button.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FailureNotice, Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly, PageNote } from '../../ui/page-note.tsx'
import { SecretChoice } from '../../ui/secret-choice.tsx'
import { Rows } from '../../ui/section.tsx'
import { CrossingNotice } from '../../ui/stricter-notice.tsx'
import { notify } from '../../ui/toast-store.ts'

/** One proposal: who sent it, what storing it would do, and the decision. */
export function ProposalPage({ id }: { id: string }) {
  const proposals = useAnswer('listProposals', {})
  return (
    <OwnersOnly operation="planProposal" title="Change request" what="what a change request would do">
      <Loaded query={proposals} what="the change request">
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
    <PageNote title="This change request has ended" href="/" way="Applications">
      It was stored, declined or withdrawn, or it expired.
    </PageNote>
  )
}

function Open({ proposal }: { proposal: Proposal }) {
  const { id, bundle, proposer, created_at, expires_at } = proposal
  const [treatment, setTreatment] = useState<ValueTreatment>(null)
  const [marks, setMarks] = useState<Record<string, boolean>>({})
  const choice = { ...treatment, marks }
  const saved = useUnsaved(treatment !== null || Object.keys(marks).length > 0)
  const plan = useAnswer(
    'planProposal',
    { proposal_id: id, ...choice },
    { placeholderData: (before) => before },
  )
  const choose = (name: string, chosen: ImportChoice) =>
    plan.data && setTreatment(treatmentOf(plan.data, name, chosen))
  return (
    <div className="max-w-read">
      <PageHeading
        title={`Change request for ${bundle.name}`}
        intro={`Sent ${ago(created_at)}, ends ${ahead(expires_at)}.`}
      />
      <Loaded query={plan} what="the plan">
        {(ready) => (
          <>
            <Warnings plan={ready} />
            <Notice tone="plain" className="mb-4">
              You cannot see a secret value; it comes from {nameOf(proposer)}, {senderText(proposal)}. If you
              expect nothing from them, ask them before you store it.
            </Notice>
            <p role="status" className="mb-2 text-sm text-ink-soft">
              {planText(ready.plan)}
            </p>
            <Rows label="Variables">
              {ready.plan.map((step) => (
                <StepRow
                  key={step.name}
                  name={step.name}
                  step={step}
                  onChoose={choose}
                  // The mark can be changed where the owner reads the value.
                  mark={
                    step.new_value !== undefined && (
                      <SecretChoice
                        of={step.name}
                        isSecret={step.is_secret}
                        onChange={(isSecret) => setMarks({ ...marks, [step.name]: isSecret })}
                      />
                    )
                  }
                />
              ))}
            </Rows>
          </>
        )}
      </Loaded>
      <Decision proposal={proposal} plan={plan.data} choice={choice} saved={saved} />
    </div>
  )
}

function Warnings({ plan: { plan, production, changes } }: { plan: ProposalPlan }) {
  return (
    <>
      {production.length > 0 && (
        <Notice tone="danger" className="mb-3">
          <strong>Production:</strong> this changes {production.join(', ')}.
        </Notice>
      )}
      {changes.length > 0 && (
        <Notice tone="plain" className="mb-3">
          <strong>Other bundles change too:</strong> {changes.join(', ')}.
        </Notice>
      )}
      <CrossingNotice of={plan} className="mb-3" />
    </>
  )
}

// Not the list that this page shows: the page leaves it.
const AFTER = { refreshes: ['listWaiting', 'planProposal', ...LIBRARY] as const }

type DecisionProps = {
  proposal: Proposal
  plan: ProposalPlan | undefined
  choice: object
  saved: () => void
}

function Decision({ proposal: { id, bundle }, plan, choice, saved }: DecisionProps) {
  const [, navigate] = useLocation()
  const store = useChange('acceptProposal', { proposal_id: id }, AFTER)
  const decline = useChange('endProposal', { proposal_id: id }, AFTER)
  const ended = (text: string) => ({
    onSuccess: () => {
      saved()
      navigate('/')
      notify({ text })
    },
  })
  const send = () =>
    plan && store.mutate({ plan_id: plan.plan_id, ...choice }, ended(`Changed ${bundle.name}.`))
  const hasChanged = describeFailure(store.error).code === 'plan_changed'
  return (
    <div className="mt-5 space-y-3">
      {hasChanged ? (
        <Notice tone="caution" role="alert">
          Something changed, so nothing was stored. This is the plan as it is now: check it, then store again.
        </Notice>
      ) : (
        <FailureNotice error={store.error ?? decline.error} act="decide this" />
      )}
      <div className="flex flex-wrap gap-3">
        <Button
          label="Decline"
          busy={decline.isPending}
          onClick={() => decline.mutate(undefined, ended('Declined. The values are deleted.'))}
        />
        <ActButton
          type="button"
          label={storing(plan?.plan ?? [])}
          isProduction={plan !== undefined && plan.production.length > 0}
          disabled={plan === undefined}
          busy={store.isPending}
          onClick={send}
        />
      </div>
    </div>
  )
}
