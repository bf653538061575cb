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
import { ConfirmNames } from './confirm-names.tsx'
import { NamesCard } from './names-card.tsx'
import { useNames } from './use-names.ts'

const NOT_REMEMBERED = { offered: [], hours: 0, commands: 1, onHours: () => undefined }

/** An open request for names: who asks, what the terminal would list, the check code, and the decision. */
export function NamesForm(props: FormProps) {
  const { request, openedByLink, onEnd } = props
  const { context, candidates, person } = request
  const asked = context.suggested_bundle_id
  const title = asked === null ? 'List your bundles?' : 'List these names?'
  useTitle(title)
  const names = useNames(props)
  const { place, offer, returning, code, decision, confirmation, doubts } = names
  const chosen = offer?.bundle?.name ?? ''
  const workspace = place.workspaceName
  const showsCode = returning.by === 'none' || returning.by === 'code'
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-ink-soft">
        The terminal gets names only, and no value. Approve only if you just ran this command yourself.
      </p>
      <RequestSummary context={context} workspace={workspace} account={person.account} />
      <AgentBanner meta={context.requester_meta} kind="names" />
      <RequestWarnings
        doubts={{
          refused: returning.by === 'refused' ? returning.reason : null,
          otherNetwork: context.same_network === false,
          unknownNetwork: context.same_network === null,
          openedByLink,
          otherBundle: doubts.isOtherBundle,
          otherWorkspace: doubts.isOtherWorkspace,
          unasked: [],
          leftOut: [],
        }}
        context={context}
        chosen={{ bundle: chosen, workspace: workspace ?? '' }}
        bundleMissing={asked !== null && candidates.length === 0 && offer === null}
      />
      <div
        className={classNames(
          'mt-4 grid gap-4 lg:items-start lg:gap-6',
          showsCode && 'lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr]',
        )}
      >
        {showsCode && (
          <CheckCode code={context.user_code} isUnbound={isUnbound(names.grounds)} {...code.field} />
        )}
        <div className={classNames('min-w-0', showsCode && 'lg:col-start-2 lg:row-span-2 lg:row-start-1')}>
          <NamesCard request={request} place={place} state={names.state} reload={names.reload} />
        </div>
        <RequestFacts meta={context.requester_meta} />
      </div>
      <DecisionBar
        context={context}
        choice={returning.by === 'refused' ? null : choiceOf(offer, workspace)}
        workspace={workspace}
        account={person.account}
        nextStep={nextStepOf(returning, false)}
        remember={NOT_REMEMBERED}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={names.approve}
        onDeny={() => void names.deny()}
        onExpired={() => onEnd('expired')}
      />
      {confirmation.isOpen && (
        <ConfirmNames
          openedByLink={openedByLink}
          other={doubts.isOtherBundle ? { requested: asked ?? '', chosen } : null}
          {...confirmation}
        />
      )}
    </>
  )
}

function choiceOf(offer: ReturnType<typeof useNames>['offer'], workspace: string | null) {
  const { bundle = null, names = [], bundles = [] } = offer ?? {}
  if (bundle !== null) return { kind: 'names', count: names.length, bundle: bundle.name, others: 0 } as const
  return { kind: 'bundles', count: bundles.length, bundle: workspace, others: 0 } as const
}
