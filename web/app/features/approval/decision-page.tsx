import { spanText, TIMES } from '@keyferry/contract/limits'
import { useEffect, useState } from 'react'
import type { RequestContext } from '../../lib/calls/answers.ts'
import { webAuthn } from '../../lib/data/passkey-browser.ts'
import { useTitle } from '../../lib/page/use-title.ts'
import { timeOfDay } from '../../lib/words/time.ts'
import { ArmingButton } from '../../ui/arming-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Check, FingerprintPattern, Hourglass, ShieldCheck } from '../../ui/icons.ts'
import { Card, Fact } from './card.tsx'
import { CheckCode } from './check-code.tsx'
import { DecisionBar, type Guard } from './decision-bar.tsx'
import { ASKING, PROPOSING, WORDS } from './kind-words.ts'
import { useDeliveryOffer } from './kinds/delivery-offer.tsx'
import { useDepositOffer } from './kinds/deposit-offer.tsx'
import { useNamesOffer } from './kinds/names-offer.tsx'
import type { ApprovalOffer } from './offer.ts'
import { PlaceChoice, PlaceName, usePlaceChoice } from './place/place-line.tsx'
import { type ChosenPlace, usePlace } from './place/use-place.ts'
import { RememberChoice } from './remember-choice.tsx'
import { dangerNames, ReasonFacts, ReasonRibbons, type Reasons } from './request/reason-facts.tsx'
import { isForeign, isOtherBundle, reasonsOf } from './request/reasons.tsx'
import { RequestHeading } from './request/request-heading.tsx'
import { RequestPlace } from './request/request-place.tsx'
import { kindOf, type RequestView } from './request-state.ts'
import { asksOthers, isSigned, nextStepOf } from './return-plan.ts'
import { useDecision } from './use-decision.ts'

const OFFERS = { delivery: useDeliveryOffer, deposit: useDepositOffer, names: useNamesOffer } as const

const loadChoice = () => import('./place/bundle-choice.tsx')

/** An open request of any kind, as one card: the dangers, the command, what is approved, and the buttons. It appears
 * when everything has loaded, so that nothing moves under the pointer. */
export function DecisionPage(asking: RequestView) {
  const { context } = asking.request
  const kind = kindOf(context)
  const place = usePlace(asking, loadChoice)
  const useOffer = OFFERS[kind]
  const offer = useOffer(asking, place)
  const decision = useDecision(asking, place, offer)
  const { plan, confirmation: question } = decision
  const isProposal = offer.approval?.kind === 'proposal'
  const ownTitle = isProposal ? PROPOSING : WORDS[kind].title(context)
  const title = asksOthers(offer.rules) ? ASKING.title : ownTitle
  useTitle(title)
  const signs = isSigned(offer.rules)
  useEffect(() => {
    if (signs) void webAuthn()
  }, [signs])
  const [isShown, setShown] = useState(false)
  const isLoading = [offer.phase, place.bundles.phase].includes('loading')
  if (!isShown && !isLoading) setShown(true)
  if (!isShown) return <p className="px-4 text-ink-soft sm:px-6">Loading the request…</p>
  const reasons = reasonsOf({ asking, place, offer, ...decision })
  const action = plan.by === 'refused' ? null : offer.action
  const isProduction = reasons.production.length > 0 && !asksOthers(offer.rules)
  return (
    <Card>
      <Asked {...{ asking, place, offer, decision, title, action, reasons }} />
      <DecisionBar
        asking={asking}
        workspace={place.workspaceName}
        label={labelOf({ asking, offer, decision }, isProduction)}
        isProduction={isProduction}
        Icon={signs ? FingerprintPattern : null}
        dangers={dangerNames(reasons)}
        isNothing={action === null}
        isChosen={offer.approval !== null && (offer.problem ?? null) === null}
        decision={decision}
        question={
          question && ((guard) => <Confirmation {...{ asking, offer, guard, ...decision, ...question }} />)
        }
      />
    </Card>
  )
}

type AskedProps = Pick<ApprovalOffer, 'action'> & {
  asking: RequestView
  place: ChosenPlace
  offer: ApprovalOffer
  decision: ReturnType<typeof useDecision>
  title: string
  reasons: Reasons
}

/** What is asked for: the command, the place, what is approved and how it returns. */
export function Asked({ asking, place, offer, decision, title, action, reasons }: AskedProps) {
  const { context } = asking.request
  const { plan, remember } = decision
  const choice = usePlaceChoice(place, offer)
  const isInRibbon = reasons.production.length === 1 && reasons.production[0] === offer.action?.name
  return (
    <>
      <ReasonRibbons {...reasons} change={isInRibbon && choice.button} />
      <div className="px-4 pt-5 sm:px-8 sm:pt-8">
        {!isInRibbon && <PlaceName action={offer.action} change={choice.button} />}
        <RequestHeading context={context} />
        {title !== WORDS.delivery.title(context) && <h2 className="mt-1 text-ink-soft">{title}</h2>}
        {choice.isOpen && <PlaceChoice request={asking.request} place={place} offer={offer} />}
      </div>
      {action !== null && <ComparedCode asking={asking} decision={decision} />}
      <div className="flex-1 px-4 pt-3 pb-1 **:scroll-mb-36 sm:px-8">
        {plan.by === 'later' && (
          <Fact
            Icon={Hourglass}
            small={`Your yes counts for ${spanText(TIMES.laterSeconds)} and one run, on this terminal and its network.`}
          >
            The command stopped at {timeOfDay(context.left_at ?? '')}. Let it run when it asks again?
          </Fact>
        )}
        <ReasonFacts {...reasons} />
        {offer.notices}
        {offer.content}
        <RequestPlace context={context} />
        <Assurances
          context={context}
          isSigned={isSigned(offer.rules)}
          isReturned={
            action !== null && plan.by === 'loopback' && !asksOthers(offer.rules) && remember.task === null
          }
        />
        <RememberChoice
          {...remember}
          context={context}
          count={offer.action?.count ?? 0}
          isAgent={isForeign(context, false)}
          by={plan.by}
        />
      </div>
    </>
  )
}

type Labelled = { asking: RequestView; offer: ApprovalOffer; decision: ReturnType<typeof useDecision> }

export function labelOf(labelled: Labelled, isProduction: boolean): string {
  if (!isProduction || isSigned(labelled.offer.rules)) return ownLabel(labelled)
  return `${ownLabel(labelled, 'Same')} for PRODUCTION`
}

function ownLabel({ asking: { request }, offer, decision }: Labelled, same = 'It is the same'): string {
  const { label = 'Approve' } = offer.action ?? {}
  if (decision.isLured) return (asksOthers(offer.rules) ? ASKING : WORDS[kindOf(request.context)]).anyway
  if (isSigned(offer.rules)) return `${label} with your passkey`
  if (decision.plan.by === 'later') return 'Once'
  if (label !== 'Approve') return label
  if (decision.remember.task)
    return comparesCode(decision) ? 'It is the same: approve the task' : 'Approve the task'
  if (isForeign(request.context, false)) return 'Approve this run'
  return comparesCode(decision) ? `${same}: approve` : label
}

const NOT_COMPARED: ReadonlySet<string> = new Set(['loopback', 'later', 'refused'])

/** Whether the approver compares the check code by eye. */
function comparesCode({ plan, hasVouched, code, isSecond }: ReturnType<typeof useDecision>): boolean {
  return !NOT_COMPARED.has(plan.by) && !hasVouched && !isSecond && code.field.typed === null
}

type AssurancesProps = { context: RequestContext; isSigned: boolean; isReturned: boolean }

/** Where the values or names go. */
function Assurances({ context, isSigned: signs, isReturned }: AssurancesProps) {
  const { lead, toHere } = WORDS[kindOf(context)]
  return (
    <>
      {lead !== undefined && <Fact Icon={Check}>{lead}</Fact>}
      {signs && (
        <Fact Icon={FingerprintPattern} small="It cannot check that you read them.">
          Your key signs this command, these values and this terminal.
        </Fact>
      )}
      {isReturned && toHere !== undefined && (
        <Fact tone="good" Icon={ShieldCheck}>
          {toHere}
        </Fact>
      )}
    </>
  )
}

type ComparedCodeProps = { asking: RequestView; decision: ReturnType<typeof useDecision> }

/** The check code, where the approval does not return to this computer by itself. */
function ComparedCode({ asking: { request }, decision }: ComparedCodeProps) {
  const { plan, code, hasVouched, isSecond } = decision
  if (plan.by === 'loopback' || plan.by === 'later' || (hasVouched && code.field.typed === null)) return null
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
} & Pick<ReturnType<typeof useDecision>, 'isLured' | 'isSecond' | 'remember'>

/** Asks once more before an approval that is probably a mistake or a trap, with every reason. Its emphasis is on the
 * way back. */
export function Confirmation({
  asking,
  offer,
  guard,
  isLured,
  isSecond,
  remember,
  send,
  cancel,
}: ConfirmationProps) {
  const { context } = asking.request
  const { anyway, linked, verb } = asksOthers(offer.rules) ? ASKING : WORDS[kindOf(context)]
  const rule = remember.task?.rule
  const place = rule?.folder ?? 'this bundle'
  const [title, label] = rule ? [`Allow tasks in ${place}`, 'Allow and approve'] : [anyway, anyway]
  return (
    <Dialog title={`${title}?`} onClose={cancel}>
      <div className="space-y-3 text-ink-soft">
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
            The terminal requested <bdi className="font-mono">{context.suggested_bundle_id}</bdi>. You are
            about to {verb} <bdi className="font-mono">{offer.bundle?.name}</bdi>.
          </p>
        )}
        {offer.doubts}
        {rule && (
          <p>
            This changes a rule: from now on, an approval in <bdi className="font-mono">{place}</bdi> can
            count for a task, also for agents. It ends the remembered approvals there. An owner takes the rule
            back on the page <em>Rules</em>.
          </p>
        )}
      </div>
      <div ref={guard.buttons} className="mt-6 grid grid-cols-2 gap-3">
        <Button label="Cancel" size="large" look="ink" onClick={cancel} />
        <ArmingButton
          label={label}
          size="large"
          active={guard.active}
          fill={guard.fill}
          onClick={(press) => guard.counts(press) && send()}
        />
      </div>
    </Dialog>
  )
}
