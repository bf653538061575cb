import { useTitle } from '../../lib/page/use-title.ts'
import { classNames } from '../../ui/class-names.ts'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { CheckCode } from './check-code.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { ASKING, WORDS } from './kind-words.ts'
import { useDeliveryOffer } from './kinds/delivery-offer.tsx'
import { useDepositOffer } from './kinds/deposit-offer.tsx'
import { useNamesOffer } from './kinds/names-offer.tsx'
import type { Offer } from './offer.ts'
import { type ChosenPlace, usePlace } from './place/use-place.ts'
import { WorkspaceChoice } from './place/workspace-choice.tsx'
import { AgentBanner } from './request/agent-banner.tsx'
import { RequestFacts } from './request/request-facts.tsx'
import { RequestSummary } from './request/request-summary.tsx'
import { isOtherBundle, RequestWarnings } from './request/request-warnings.tsx'
import { type Asking, kindOf } from './request-state.ts'
import { asksOthers, isUnbound } from './return-plan.ts'
import { CompanionList } from './together/companion-list.tsx'
import { useDecision } from './use-decision.ts'

const OFFERS = { delivery: useDeliveryOffer, deposit: useDepositOffer, names: useNamesOffer } as const

/** An open request of any kind: what decides, the check code, what is approved, and the decision. */
export function DecisionPage(asking: Asking) {
  const { context, person } = asking.request
  const kind = kindOf(context)
  const place = usePlace(asking)
  const useOffer = OFFERS[kind]
  const offer = useOffer(asking, place)
  const decision = useDecision(asking, place, offer)
  const { plan, together } = decision
  const title = asksOthers(offer.rules) ? ASKING.title : WORDS[kind].title(context)
  useTitle(title)
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-ink-soft">
        {WORDS[kind].lead}
        {adviceFor(offer.rules)}
      </p>
      <RequestSummary context={context} workspace={place.workspaceName} account={person.account} />
      <AgentBanner context={context} />
      {offer.warning}
      <RequestWarnings asking={asking} place={place} bundle={offer.bundle} {...decision} />
      <CompanionList way={plan.by} together={together} />
      <Compared asking={asking} place={place} offer={offer} decision={decision} />
      <DecisionBar
        asking={asking}
        workspace={place.workspaceName}
        action={plan.by === 'refused' ? null : offer.action}
        decision={decision}
      />
      {decision.confirmation !== null && (
        <Confirmation asking={asking} offer={offer} {...decision} {...decision.confirmation} />
      )}
    </>
  )
}

function adviceFor(rules: Offer['rules']): string {
  if (asksOthers(rules)) return 'Ask only if you just ran this command yourself.'
  if (rules?.vouch) return 'Another person ran this command. Approve only if you know why they need it.'
  return rules?.first_approval
    ? 'Another person approved first. Approve only if you know who ran this command.'
    : 'Approve only if you just ran this command yourself.'
}

type ComparedProps = {
  asking: Asking
  place: ChosenPlace
  offer: Offer
  decision: ReturnType<typeof useDecision>
}

/** The check code, beside it what would be approved, and all that the terminal reported. */
function Compared({ asking: { request }, place, offer, decision }: ComparedProps) {
  const { plan, code, grounds, hasVouched, isSecond } = decision
  const showsCode = !hasVouched && (plan.by === 'none' || plan.by === 'code')
  return (
    <div
      className={classNames(
        'mt-4 grid gap-4 lg:items-start lg:gap-6',
        showsCode && 'lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]',
      )}
    >
      {showsCode && (
        <CheckCode
          code={request.context.user_code}
          isUnbound={isUnbound(grounds)}
          isSecond={isSecond}
          field={code.field}
        />
      )}
      <div className={classNames('min-w-0', showsCode && 'lg:col-start-2 lg:row-span-2 lg:row-start-1')}>
        <section
          aria-labelledby="offer"
          className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5"
        >
          <h2 id="offer" className="mb-3 text-sm font-semibold">
            {offer.heading}
          </h2>
          <WorkspaceChoice request={request} place={place} />
          {offer.content}
        </section>
      </div>
      <RequestFacts meta={request.context.requester_meta} />
    </div>
  )
}

type ConfirmationProps = { asking: Asking; offer: Offer; send: () => void; cancel: () => void } & Pick<
  ReturnType<typeof useDecision>,
  'isLured' | 'isSecond'
>

/** Asks once more before an approval that is probably a mistake or a trap, with every reason. */
function Confirmation({ asking, offer, isLured, isSecond, send, cancel }: ConfirmationProps) {
  const { context } = asking.request
  const { anyway, linked, verb } = asksOthers(offer.rules) ? ASKING : WORDS[kindOf(context)]
  return (
    <ConfirmDialog title={`${anyway}?`} action={anyway} onConfirm={send} onClose={cancel}>
      {isLured && (
        <p>
          {linked}{' '}
          {isSecond ? 'Do you know who ran this command?' : 'Did you just run this command yourself?'}
        </p>
      )}
      {isOtherBundle(asking, offer.bundle) && (
        <p>
          The terminal requested <bdi className="font-mono">{context.suggested_bundle_id}</bdi>. You are about
          to {verb} <bdi className="font-mono">{offer.bundle?.name}</bdi>.
        </p>
      )}
      {offer.doubts}
    </ConfirmDialog>
  )
}
