import { useTitle } from '../../../lib/use-title.ts'
import { classNames } from '../../../ui/class-names.ts'
import { AgentBanner } from '../agent-banner.tsx'
import { CheckCode } from '../check-code.tsx'
import { DecisionBar } from '../decision-bar.tsx'
import { RequestFacts } from '../request-facts.tsx'
import type { FormProps } from '../request-state.ts'
import { RequestSummary } from '../request-summary.tsx'
import { RequestWarnings } from '../request-warnings.tsx'
import { isUnbound, nextStepOf } from '../return-plan.ts'
import { ConfirmDeposit } from './confirm-deposit.tsx'
import { DepositPlanCard } from './deposit-plan-card.tsx'
import { DepositWarnings } from './deposit-warnings.tsx'
import { countsOf, doubtsOf } from './plan-facts.ts'
import { useDeposit } from './use-deposit.ts'

const NOT_REMEMBERED = { offered: [], hours: 0, commands: 1, onHours: () => undefined }

/** An open deposit: who asks, what it would change, the check code, and the decision. */
export function DepositForm(props: FormProps) {
  const { request, openedByLink, onEnd } = props
  const { context, person } = request
  const title = titleOf(context)
  useTitle(title)
  const deposit = useDeposit(props)
  const { place, planning, returning, code, decision, confirmation } = deposit
  const { plan } = planning
  const bundle = context.suggested_bundle_id ?? ''
  const showsCode = returning.by === 'none' || returning.by === 'code'
  const doubts = {
    refused: returning.by === 'refused' ? returning.reason : null,
    otherNetwork: context.same_network === false,
    unknownNetwork: context.same_network === null,
    openedByLink,
    otherBundle: false,
    otherWorkspace: place.isOther,
    unasked: [],
    leftOut: [],
  }
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-ink-soft">Approve only if you just ran this command yourself.</p>
      <RequestSummary context={context} workspace={place.name} account={person.account} />
      <AgentBanner meta={context.requester_meta} kind="deposit" />
      <DepositWarnings plan={plan} isReplanned={deposit.isReplanned} requestId={props.requestId} />
      <RequestWarnings
        doubts={doubts}
        context={context}
        chosen={{ bundle, workspace: place.name ?? '' }}
        bundleMissing={false}
      />
      <div
        className={classNames(
          'mt-4 grid gap-4 lg:items-start lg:gap-6',
          showsCode && 'lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]',
        )}
      >
        {showsCode && (
          <CheckCode code={context.user_code} isUnbound={isUnbound(deposit.grounds)} {...code.field} />
        )}
        <div className={classNames('min-w-0', showsCode && 'lg:col-start-2 lg:row-span-2 lg:row-start-1')}>
          <DepositPlanCard request={request} planning={planning} place={place} />
        </div>
        <RequestFacts meta={context.requester_meta} />
      </div>
      <DecisionBar
        context={context}
        choice={
          returning.by === 'refused' || plan === null
            ? null
            : { ...countsOf(plan.plan), bundle, others: 0, kind: 'deposit' }
        }
        workspace={place.name}
        account={person.account}
        nextStep={nextStepOf(returning, false)}
        remember={NOT_REMEMBERED}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={deposit.approve}
        onDeny={() => void deposit.deny()}
        onExpired={() => onEnd('expired')}
      />
      {confirmation.isOpen && (
        <ConfirmDeposit openedByLink={openedByLink} doubts={doubtsOf(plan)} {...confirmation} />
      )}
    </>
  )
}

function titleOf({ deposit }: FormProps['request']['context']): string {
  return deposit?.entries.length === 0 ? 'Remove these variables?' : 'Store these values?'
}
