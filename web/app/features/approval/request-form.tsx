import type { ApprovalAnswer } from '../../lib/answers.ts'
import { useTitle } from '../../lib/use-title.ts'
import { classNames } from '../../ui/class-names.ts'
import { AgentBanner } from './agent-banner.tsx'
import { CheckCode } from './check-code.tsx'
import { ConfirmApproval } from './confirm-approval.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { HandOver } from './hand-over.tsx'
import { RequestFacts } from './request-facts.tsx'
import type { Choice, FormProps } from './request-state.ts'
import { RequestSummary } from './request-summary.tsx'
import { RequestWarnings } from './request-warnings.tsx'
import { isUnbound, nextStepOf } from './return-plan.ts'
import type { Tried } from './together/approve-companions.ts'
import { CompanionList } from './together/companion-list.tsx'
import { useApproval } from './use-approval.ts'
import { useChoice } from './use-choice.ts'

type RequestFormProps = Omit<FormProps, 'onApproved'> & {
  onApproved: (choice: Choice, answer: ApprovalAnswer, others: readonly Tried[]) => void
}

/** An open request: what decides, the check code, what to share, and the decision. */
export function RequestForm(props: RequestFormProps) {
  useTitle('Approve this request?')
  const { request, onEnd } = props
  const { context, person } = request
  const choice = useChoice(props)
  const { place, bundle, keys, doubts, plan } = choice
  const { code, together, decision, approve, deny, send, isConfirming, remember, cancel } = useApproval(
    props,
    choice,
  )
  const workspace = place.workspaceName
  const showsCode = plan.by === 'none' || plan.by === 'code'
  const first = bundle?.first_approval ?? null
  const isEmpty = place.bundles.phase === 'ready' && place.bundles.bundles.length === 0
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">Approve this request?</h1>
      <p className="mt-1 text-ink-soft">
        {first === null
          ? 'Approve only if you just ran this command yourself.'
          : 'Another person approved first. Approve only if you know who ran this command.'}
      </p>
      <RequestSummary context={context} workspace={workspace} account={person.account} />
      <AgentBanner meta={context.requester_meta} kind="delivery" />
      <RequestWarnings
        doubts={doubts}
        context={context}
        chosen={{ bundle: bundle?.name ?? '', workspace: workspace ?? '' }}
        bundleMissing={
          context.suggested_bundle_id !== null && request.candidates.length === 0 && bundle === null
        }
      />
      <CompanionList way={plan.by} together={together} />
      <div
        className={classNames(
          'mt-4 grid gap-4 lg:items-start lg:gap-6',
          showsCode && 'lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]',
        )}
      >
        {showsCode && (
          <CheckCode
            code={context.user_code}
            isUnbound={isUnbound(choice.grounds)}
            isSecond={first !== null}
            {...code.field}
          />
        )}
        <div className={classNames('min-w-0', showsCode && 'lg:col-start-2 lg:row-span-2 lg:row-start-1')}>
          <HandOver request={request} choice={choice} />
        </div>
        <RequestFacts meta={context.requester_meta} />
      </div>
      <DecisionBar
        context={context}
        choice={
          isEmpty || plan.by === 'refused'
            ? null
            : {
                kind: 'delivery',
                count: keys.length,
                bundle: bundle?.name ?? null,
                others: together.selected.length,
              }
        }
        workspace={workspace}
        account={person.account}
        nextStep={nextStepOf(plan, first !== null)}
        remember={remember}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={approve}
        onDeny={() => void deny()}
        onExpired={() => onEnd('expired')}
      />
      {isConfirming && (
        <ConfirmApproval
          doubts={doubts}
          names={{ chosen: bundle?.name ?? '', requested: context.suggested_bundle_id ?? '' }}
          onConfirm={send}
          onClose={cancel}
        />
      )}
    </>
  )
}
