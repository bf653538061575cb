import { useState } from 'react'
import { useTitle } from '../../lib/page/use-title.ts'
import { ConfirmDialog, type Guard } from '../../ui/confirm-change.tsx'
import { Check } from '../../ui/icons.ts'
import { CheckCode } from './check-code.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { ASKING, PROPOSING, WORDS } from './kind-words.ts'
import { useDeliveryOffer } from './kinds/delivery-offer.tsx'
import { useDepositOffer } from './kinds/deposit-offer.tsx'
import { useNamesOffer } from './kinds/names-offer.tsx'
import type { Action, ApprovalOffer } from './offer.ts'
import { PlaceLine } from './place/place-line.tsx'
import { type ChosenPlace, usePlace } from './place/use-place.ts'
import { RememberChoice } from './remember-choice.tsx'
import { dangerNames, ReasonBand } from './request/reason-band.tsx'
import { isForeign, isOtherBundle, reasonsOf } from './request/reasons.tsx'
import { RequestFacts, RequestHeading, RequestPlace } from './request/request-heading.tsx'
import { kindOf, type RequestView } from './request-state.ts'
import { asksOthers, isSigned, nextStepOf } from './return-plan.ts'
import { CompanionList } from './together/companion-list.tsx'
import { useDecision } from './use-decision.ts'

const OFFERS = { delivery: useDeliveryOffer, deposit: useDepositOffer, names: useNamesOffer } as const

/** An open request of any kind: the dangers, the command, what is approved, and the buttons. It appears when everything
 * has loaded, so that nothing moves under the pointer. */
export function DecisionPage(asking: RequestView) {
  const { context } = asking.request
  const kind = kindOf(context)
  const place = usePlace(asking)
  const useOffer = OFFERS[kind]
  const offer = useOffer(asking, place)
  const decision = useDecision(asking, place, offer)
  const { plan, together, confirmation: question } = decision
  const isProposal = offer.approval?.kind === 'proposal'
  const ownTitle = isProposal ? PROPOSING : WORDS[kind].title(context)
  const title = asksOthers(offer.rules) ? ASKING.title : ownTitle
  useTitle(title)
  const [isShown, setShown] = useState(false)
  const isLoading = [offer.phase, place.bundles.phase].includes('loading') || together.isLooking
  if (!isShown && !isLoading) setShown(true)
  if (!isShown) return <p className="text-ink-soft">Loading the request…</p>
  const reasons = reasonsOf({ asking, place, offer, ...decision })
  const action = plan.by === 'refused' ? null : offer.action
  const production = [...reasons.production, ...together.production]
  return (
    <div className="flex flex-1 flex-col">
      <div className="space-y-3 pb-4">
        <ReasonBand {...reasons} />
        <Asked {...{ asking, place, offer, decision, title, action }} />
      </div>
      <DecisionBar
        asking={asking}
        workspace={place.workspaceName}
        label={labelOf(action, together.selected.length, {
          isSigned: isSigned(offer.rules),
          isProduction: production.length > 0 && !asksOthers(offer.rules),
        })}
        dangers={[...dangerNames(reasons), ...together.production]}
        isNothing={action === null}
        decision={decision}
        question={
          question && ((guard) => <Confirmation {...{ asking, offer, guard, ...decision, ...question }} />)
        }
      />
    </div>
  )
}

type AskedProps = Pick<ApprovalOffer, 'action'> & {
  asking: RequestView
  place: ChosenPlace
  offer: ApprovalOffer
  decision: ReturnType<typeof useDecision>
  title: string
}

/** What is asked for: the command, the place, what is approved and how it returns. */
function Asked({ asking, place, offer, decision, title, action }: AskedProps) {
  const { context } = asking.request
  const { plan, together, remember } = decision
  return (
    <>
      <RequestHeading context={context} />
      <div>
        <PlaceLine request={asking.request} place={place} offer={offer} />
        <RequestPlace context={context} />
      </div>
      {action !== null && <WayBack asking={asking} decision={decision} />}
      {isSigned(offer.rules) && (
        <p className="text-sm text-ink-soft">
          Your key signs this command, these values and this terminal. It cannot check that you read them.
        </p>
      )}
      {title !== WORDS.delivery.title(context) && (
        <div>
          <h2 className="font-semibold">{title}</h2>
          <p className="text-sm text-ink-soft">{WORDS[kindOf(context)].lead}</p>
        </div>
      )}
      {offer.notices}
      <CompanionList way={plan.by} together={together} />
      {offer.content}
      <RequestFacts context={context} />
      <RememberChoice
        {...remember}
        commands={together.selected.length + 1}
        isAgent={isForeign(context, false)}
      />
    </>
  )
}

type Looks = { isSigned: boolean; isProduction: boolean }

function labelOf(action: Action | null, others: number, { isSigned: signed, isProduction }: Looks): string {
  const label = `${action?.label ?? 'Approve'}${signed ? ' with your passkey' : ''}`
  return `${others === 0 ? label : `Approve ${others + 1} commands`}${isProduction ? ' for PRODUCTION' : ''}`
}

type WayBackProps = { asking: RequestView; decision: ReturnType<typeof useDecision> }

/** That the approval returns to this computer only, or else the check code. */
function WayBack({ asking: { request }, decision }: WayBackProps) {
  const { plan, code, hasVouched, isSecond } = decision
  if (plan.by === 'loopback') {
    return (
      <p className="flex items-center gap-1.5 text-sm text-good">
        <Check aria-hidden size={16} /> Goes back to this computer only
      </p>
    )
  }
  if (hasVouched && code.field.typed === null) return null
  const nextStep = nextStepOf(plan, isSecond)
  return (
    <CheckCode code={request.context.user_code} isSecond={isSecond} nextStep={nextStep} field={code.field} />
  )
}

type ConfirmationProps = {
  asking: RequestView
  offer: ApprovalOffer
  guard: Guard
  send: () => void
  cancel: () => void
} & Pick<ReturnType<typeof useDecision>, 'isLured' | 'isSecond'>

/** Asks once more before an approval that is probably a mistake or a trap, with every reason. */
function Confirmation({ asking, offer, guard, isLured, isSecond, send, cancel }: ConfirmationProps) {
  const { context } = asking.request
  const { anyway, linked, verb } = asksOthers(offer.rules) ? ASKING : WORDS[kindOf(context)]
  return (
    <ConfirmDialog title={`${anyway}?`} action={anyway} guard={guard} onConfirm={send} onClose={cancel}>
      {isLured && (
        <p>
          {linked}{' '}
          {isForeign(context, isSecond)
            ? 'Do you know who ran the command?'
            : 'Did you just run this command yourself?'}
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
