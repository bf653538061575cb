import type { RequestContext } from '../../../lib/calls/answers.ts'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { WORDS } from '../kind-words.ts'
import type { ApprovalOffer } from '../offer.ts'
import { isOther, type PlaceName } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import { kindOf, type RequestView } from '../request-state.ts'
import type { ReturnPlan } from '../return-plan.ts'
import { ShownName } from '../shown-names.tsx'
import { commandRisk } from './command-risk.ts'
import { LeaveOut } from './leave-out.tsx'
import type { Reasons } from './reason-facts.tsx'

const LONGEST_REASON = 500

type Looked = {
  asking: RequestView
  place: Pick<ChosenPlace, 'workspace' | 'workspaceName'>
  offer: Pick<ApprovalOffer, 'bundle' | 'dangers' | 'production'>
  plan: ReturnPlan
  /** No approval can return to the client. */
  isUnbound: boolean
  /** Another person’s approval returned to the terminal, or they said that it is theirs and the rules accept how. */
  hasVouched: boolean
  /** A web page led here, and no such person asks. */
  isLured: boolean
  /** Another person approved first or asks: the terminal is probably theirs. */
  isSecond: boolean
  leaveOut: ApprovalOffer['leaveOut']
}

/** What is strange or dangerous about a request. */
export function reasonsOf(looked: Looked): Reasons {
  const { production = [] } = looked.offer
  const { context } = looked.asking.request
  return { production, agent: agentOf(context), dangers: dangersOf(looked), cautions: cautionsOf(looked) }
}

/** The chosen bundle is not the one that the terminal names. */
export function isOtherBundle({ request }: Pick<RequestView, 'request'>, bundle: PlaceName | null): boolean {
  return isOther(bundle, request.context.suggested_bundle_id)
}

/** Whether a person in front of this page did not start the command themselves. */
export function isForeign({ requester_meta: meta }: RequestContext, isSecond: boolean): boolean {
  return isSecond || visibleText(meta['agent'] ?? '') !== ''
}

function dangersOf({ asking, offer, plan, isUnbound, hasVouched, isLured, isSecond, leaveOut }: Looked) {
  const { context } = asking.request
  const readsItself = context.requester_meta['via'] === 'pull'
  const whose = isForeign(context, isSecond) ? 'you know who ran the command' : 'you ran the command'
  return {
    refused: plan.by === 'refused' && (
      <>
        <strong>You cannot approve this.</strong> {plan.reason} If you deny, the terminal shows why.{' '}
        <LeaveOut leaveOut={leaveOut} />
      </>
    ),
    ...offer.dangers,
    agent: readsItself && agentReads(context),
    // A terminal that pulls starts no program.
    risk: context.argv == null || readsItself ? null : commandRisk(context.argv),
    network: context.same_network === false && !hasVouched && (
      <>
        <strong>Not your network:</strong> from <ShownName name={context.requester_meta.ip} />, you are at{' '}
        <ShownName name={context.viewer_ip} />.
      </>
    ),
    link: isLured && (
      <>
        <strong>A web page linked you here.</strong>{' '}
        {isForeign(context, isSecond) || 'Your own terminal opens this page itself or prints the link. '}
        Deny unless {whose}.
      </>
    ),
    unbound: isUnbound && plan.by === 'none' && !hasVouched && (
      <>This client cannot return the approval to a terminal. Approve only if {whose}.</>
    ),
    bundle: isOtherBundle(asking, offer.bundle) && (
      <>
        The terminal requested <ShownName name={context.suggested_bundle_id ?? ''} />, but you chose{' '}
        <ShownName name={offer.bundle?.name ?? ''} />.{' '}
        {context.kind === 'names' && 'The terminal shows which bundle you chose.'}
      </>
    ),
  }
}

function agentOf({ requester_meta: meta }: RequestContext) {
  const agent = visibleText(meta['agent'] ?? '')
  if (agent === '') return null
  return (
    <>
      An agent runs this: <bdi>{agent}</bdi>
    </>
  )
}

// In the words of the agent, and marked as such.
function agentReason(context: RequestContext) {
  if (agentOf(context) === null) return null
  const reason = visibleText(context.requester_meta['reason'] ?? '', LONGEST_REASON)
  if (reason === '') return 'The agent gives no reason.'
  return (
    <>
      <q>{reason}</q>
      <span className="block text-xs text-ink-faint">The agent wrote this reason.</span>
    </>
  )
}

function agentReads(context: RequestContext): string | null {
  if (agentOf(context) === null) return null
  return WORDS[kindOf(context)].agent(context.requester_meta['via'] === 'pull')
}

function cautionsOf({ asking, place, offer }: Looked) {
  const { context } = asking.request
  const { argv = null, requester_meta: meta } = context
  return {
    reason: agentReason(context),
    agent: meta['via'] !== 'pull' && agentReads(context),
    command: argv === null && 'The client did not send its whole command.',
    missing: isMissing(asking, offer.bundle) && <MissingBundle context={context} />,
    workspace: isOther(place.workspace, context.workspace) && (
      <>
        The terminal named the workspace <ShownName name={context.workspace ?? ''} />. This decision is for{' '}
        <bdi>{place.workspaceName}</bdi>.
      </>
    ),
    addresses: context.same_network === null && (
      <>
        Requested from <ShownName name={meta.ip} />, you are at <ShownName name={context.viewer_ip} />. One is
        IPv4 and one is IPv6, so they cannot be compared.
      </>
    ),
  }
}

// A deposit names a bundle that may be new.
function isMissing({ request: { context, candidates } }: RequestView, bundle: PlaceName | null): boolean {
  if (bundle !== null || candidates.length > 0) return false
  return context.suggested_bundle_id !== null && kindOf(context) !== 'deposit'
}

function MissingBundle({ context: { suggested_bundle_id: asked, workspace } }: { context: RequestContext }) {
  return (
    <>
      The terminal requested <ShownName name={asked ?? ''} />, which is not in{' '}
      {workspace === null ? (
        'any of your workspaces'
      ) : (
        <>
          a workspace <ShownName name={workspace} /> of yours
        </>
      )}
      .
    </>
  )
}
