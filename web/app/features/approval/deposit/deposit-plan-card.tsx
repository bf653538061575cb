import type { DepositStep, ImportChoice } from '../../../lib/answers.ts'
import { noteOf, planText } from '../../../lib/import-steps.ts'
import { Button } from '../../../ui/button.tsx'
import { StepChoice } from '../../../ui/import-step/step-choice.tsx'
import { ValueChange } from '../../../ui/import-step/value-change.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { WholeWords } from '../../../ui/whole-words.tsx'
import type { OpenRequest } from '../request-state.ts'
import { WorkspaceChoice } from '../workspace-choice.tsx'
import type { useDeposit } from './use-deposit.ts'

type DepositPlanCardProps = Pick<ReturnType<typeof useDeposit>, 'planning' | 'place'> & {
  request: OpenRequest
}

/** Where the values go, and what happens to each variable. */
export function DepositPlanCard({ request, planning, place }: DepositPlanCardProps) {
  const { context, candidates, person } = request
  const { plan } = planning
  return (
    <section aria-labelledby="plan" className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <h2 id="plan" className="mb-3 text-sm font-semibold">
        What changes in <WholeWords text={context.suggested_bundle_id ?? ''} />
        {plan !== null && plan.bundle_id === null && (
          <span className="font-normal text-ink-soft"> (a new bundle)</span>
        )}
      </h2>
      <WorkspaceChoice
        workspaces={person.workspaces}
        candidates={candidates}
        chosenId={place.workspaceId}
        onChoose={place.choose}
      />
      <PlanOrWait planning={planning} />
    </section>
  )
}

function PlanOrWait({ planning: { state, choose, reload } }: Pick<DepositPlanCardProps, 'planning'>) {
  if (state.phase === 'none')
    return <p className="text-sm text-ink-soft">Choose a workspace to see the plan.</p>
  if (state.phase === 'loading') return <p className="text-sm text-ink-soft">Loading the plan…</p>
  if (state.phase === 'failed') {
    return (
      <Notice tone="danger" role="alert">
        <p>{state.failure.message}</p>
        <Button size="small" className="mt-2" onClick={reload}>
          Try again
        </Button>
      </Notice>
    )
  }
  const { plan } = state.plan
  return (
    <>
      <p role="status" className="mb-2 text-sm text-ink-soft">
        {planText(plan)}
      </p>
      <ul aria-label="Variables" className="divide-y divide-line rounded-lg border border-line">
        {removedFirst(plan).map((step) => (
          <StepRow key={step.name} step={step} onChoose={choose} />
        ))}
      </ul>
    </>
  )
}

// No other order: a row must not move when the person chooses what happens to it.
function removedFirst(plan: readonly DepositStep[]): DepositStep[] {
  return plan.toSorted((a, b) => Number(b.action === 'detach') - Number(a.action === 'detach'))
}

type StepRowProps = { step: DepositStep; onChoose: (name: string, choice: ImportChoice) => void }

/** One variable. Its values are shown only where they are not secret. */
function StepRow({ step, onChoose }: StepRowProps) {
  const note = noteOf(step).replace(/^(?: · |, )/, '')
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="font-mono text-sm font-medium break-all">{step.name}</p>
        <p className="text-xs text-ink-soft first-letter:uppercase">
          {[step.is_secret ? 'secret' : 'not secret', note].filter((text) => text !== '').join(' · ')}
        </p>
        <ValueChange before={step.old_value} after={step.new_value} />
      </div>
      <StepChoice step={step} onChoose={onChoose} />
    </li>
  )
}
