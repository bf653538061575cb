import type { ReactNode } from 'react'
import { Notice } from '../../../ui/notice.tsx'
import type { Offer } from '../offer.ts'
import { isOther, type Named } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import { type Asking, kindOf } from '../request-state.ts'
import type { ReturnPlan } from '../return-plan.ts'
import { ShownName } from '../shown-names.tsx'
import { LeaveOut } from './leave-out.tsx'

const SHOWN_AT_ONCE = 2

type WarningsProps = {
  asking: Asking
  place: Pick<ChosenPlace, 'workspace' | 'workspaceName'>
  bundle: Named | null
  plan: ReturnPlan
  /** Another person says that the terminal is theirs, in a way that the rules accept. */
  hasVouched: boolean
  /** A web page led here, and no such person asks. */
  isLured: boolean
  /** Another person approved first or asks: the terminal is probably theirs. */
  isSecond: boolean
  leaveOut: Offer['leaveOut']
}

type Warning = { id: string; tone: 'danger' | 'caution'; text: ReactNode }

/** What is strange about the request, the worst first, two at once. */
export function RequestWarnings(props: WarningsProps) {
  const warnings = [...toned('danger', dangersOf(props)), ...toned('caution', cautionsOf(props))]
  if (warnings.length === 0) return null
  const rest = warnings.slice(SHOWN_AT_ONCE)
  return (
    <div className="mt-3 space-y-2">
      <WarningList warnings={warnings.slice(0, SHOWN_AT_ONCE)} />
      {rest.length > 0 && (
        <details>
          <summary className="rounded-sm py-1 text-sm text-ink-soft">
            {rest.length} more {rest.length === 1 ? 'warning' : 'warnings'}
          </summary>
          <div className="mt-1 space-y-2">
            <WarningList warnings={rest} />
          </div>
        </details>
      )}
    </div>
  )
}

function toned(tone: Warning['tone'], texts: Readonly<Record<string, ReactNode>>): Warning[] {
  return Object.entries(texts).flatMap(([id, text]) => (text === false ? [] : [{ id, tone, text }]))
}

function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  return warnings.map(({ id, tone, text }) => (
    <Notice key={id} tone={tone} {...(tone === 'danger' ? { role: 'alert' as const } : {})}>
      {text}
    </Notice>
  ))
}

/** The chosen bundle is not the one that the terminal names. */
export function isOtherBundle({ request }: Pick<Asking, 'request'>, bundle: Named | null): boolean {
  return isOther(bundle, request.context.suggested_bundle_id)
}

// A deposit names a bundle that may be new.
function isMissing({ request: { context, candidates } }: Asking, bundle: Named | null): boolean {
  if (bundle !== null || candidates.length > 0) return false
  return context.suggested_bundle_id !== null && kindOf(context) !== 'deposit'
}

function dangersOf(props: WarningsProps) {
  const { asking, bundle, plan, hasVouched, isLured, isSecond, leaveOut } = props
  const { context } = asking.request
  return {
    refused: plan.by === 'refused' && (
      <>
        <strong>You cannot approve this.</strong> {plan.reason} If you deny, the terminal shows why.
        <LeaveOut leaveOut={leaveOut} />
      </>
    ),
    network: context.same_network === false && !hasVouched && (
      <>
        <strong>Not your network:</strong> requested from <ShownName name={context.requester_meta.ip} />, you
        are at <ShownName name={context.viewer_ip} />.
      </>
    ),
    link: isLured && (
      <>
        <strong>A web page linked you here.</strong>{' '}
        {isSecond
          ? 'Deny unless you know who ran the command.'
          : 'Your own terminal opens this page itself or prints the link. Deny unless you ran the command.'}
      </>
    ),
    bundle: isOtherBundle(asking, bundle) && (
      <>
        The terminal requested <ShownName name={context.suggested_bundle_id ?? ''} />, but you chose{' '}
        <ShownName name={bundle?.name ?? ''} />.{' '}
        {context.kind === 'names' ? 'The keyferry client tells the difference.' : <OtherBundleRefused />}
      </>
    ),
  }
}

function cautionsOf({ asking, place, bundle }: WarningsProps) {
  const { context } = asking.request
  return {
    missing: isMissing(asking, bundle) && (
      <>
        The terminal requested <ShownName name={context.suggested_bundle_id ?? ''} />, which is not in{' '}
        {context.workspace === null ? (
          'any of your workspaces'
        ) : (
          <>
            a workspace <ShownName name={context.workspace} /> of yours
          </>
        )}
        . Choose a bundle yourself, or deny.
      </>
    ),
    workspace: isOther(place.workspace, context.workspace) && (
      <>
        The terminal named the workspace <ShownName name={context.workspace ?? ''} />, but you chose{' '}
        <bdi>{place.workspaceName}</bdi>.
      </>
    ),
    addresses: context.same_network === null && (
      <>
        Requested from <ShownName name={context.requester_meta.ip} />, you are at{' '}
        <ShownName name={context.viewer_ip} />. One is IPv4 and one is IPv6, so they cannot be compared.
      </>
    ),
  }
}

function OtherBundleRefused() {
  return (
    <>
      The keyferry client refuses another bundle unless it was started with{' '}
      <span className="font-mono whitespace-nowrap">--any-bundle</span>.
    </>
  )
}
