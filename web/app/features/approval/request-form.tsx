import { useState } from 'react'
import type { RequestBundle } from '../../lib/answers.ts'
import { useTitle } from '../../lib/use-title.ts'
import { CheckCode } from './check-code.tsx'
import { ConfirmApproval } from './confirm-approval.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { doubtsOf, needsConfirmation } from './doubts.ts'
import { HandOver } from './hand-over.tsx'
import { RequestFacts } from './request-facts.tsx'
import type { Choice, End, OpenRequest } from './request-state.ts'
import { RequestSummary } from './request-summary.tsx'
import { RequestWarnings } from './request-warnings.tsx'
import { firstKeys } from './selection.ts'
import { useDecision } from './use-decision.ts'
import { usePlace } from './use-place.ts'
import { type BundleState, useRequestBundle } from './use-request-bundle.ts'
import { useTypedCode } from './use-typed-code.ts'

const NONE: ReadonlySet<string> = new Set()
const NO_KEYS_YET: Readonly<Record<BundleState['phase'], string>> = {
  none: 'Choose a bundle first.',
  loading: 'The keys are still loading.',
  failed: 'The keys of this bundle could not be loaded.',
  ready: '',
}

type RequestFormProps = {
  requestId: string
  request: OpenRequest
  /** A link on a web page led here, not the terminal. */
  openedByLink: boolean
  onApproved: (choice: Choice) => void
  onEnd: (end: End) => void
}

/** An open request: what decides, the check code, what to share, and the decision. */
export function RequestForm(props: RequestFormProps) {
  useTitle('Approve this request?')
  const { request, onEnd } = props
  const { context, person } = request
  const { place, bundle, state, reload, selected, select, keys, doubts } = useChoice(props)
  const { code, decision, approve, send, isConfirming, cancel } = useApproval(props, {
    bundle,
    state,
    keys,
    workspaceId: place.workspaceId,
    mustConfirm: needsConfirmation(doubts),
  })
  const workspace = place.workspace?.name ?? null
  const isEmpty = place.bundles.phase === 'ready' && place.bundles.bundles.length === 0
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">Approve this request?</h1>
      <p className="mt-1 text-ink-soft">Approve only if you just ran this command yourself.</p>
      <RequestSummary context={context} workspace={workspace} account={person.account} />
      <RequestWarnings
        doubts={doubts}
        context={context}
        chosen={{ bundle: bundle?.name ?? '', workspace: workspace ?? '' }}
        bundleMissing={
          context.suggested_bundle_id !== null && request.candidates.length === 0 && bundle === null
        }
      />
      <div className="mt-4 grid gap-4 lg:grid-cols-[22rem_1fr] lg:grid-rows-[auto_1fr] lg:items-start lg:gap-6">
        <CheckCode code={context.user_code} {...code.field} />
        <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <HandOver
            request={request}
            place={place}
            state={state}
            selected={selected}
            onSelect={select}
            onRetry={reload}
          />
        </div>
        <RequestFacts meta={context.requester_meta} />
      </div>
      <DecisionBar
        context={context}
        choice={isEmpty ? null : { count: keys.length, bundle: bundle?.name ?? null }}
        workspace={workspace}
        account={person.account}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={approve}
        onDeny={() => void decision.deny()}
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

/** What is chosen to be shared, and what is strange about it. */
function useChoice({ requestId, request, openedByLink, onEnd }: RequestFormProps) {
  const { context } = request
  const place = usePlace(requestId, request, onEnd)
  const { state, reload } = useRequestBundle(requestId, place)
  const bundle = state.phase === 'ready' ? state.bundle : null
  const { selected, select } = useSelection(bundle, context.template_keys)
  const keys = bundle === null ? [] : bundle.items.map(({ key }) => key).filter((name) => selected.has(name))
  const doubts = doubtsOf({ context, openedByLink, workspace: place.workspace, bundle, selected })
  return { place, bundle, state, reload, selected, select, keys, doubts }
}

type Chosen = {
  bundle: RequestBundle | null
  state: BundleState
  keys: readonly string[]
  workspaceId: string | null
  mustConfirm: boolean
}

/** What Approve does: nothing until all that it needs is there, and a question where something is strange. */
function useApproval({ requestId, request, onApproved, onEnd }: RequestFormProps, chosen: Chosen) {
  const { context } = request
  const code = useTypedCode(context.user_code_required)
  const decision = useDecision({ requestId, context, onApproved, onEnd, onWrongCode: code.refuse })
  const [isConfirming, setConfirming] = useState(false)
  const { bundle, state, keys, workspaceId, mustConfirm } = chosen
  const send = () => {
    setConfirming(false)
    if (bundle === null || workspaceId === null) return
    void decision.approve({ workspaceId, bundle, keys }, code.field.typed)
  }
  const approve = () => {
    if (workspaceId === null) return decision.setProblem('Choose a workspace first.')
    if (bundle === null) return decision.setProblem(NO_KEYS_YET[state.phase])
    if (keys.length === 0) return decision.setProblem('Select at least one key.')
    if (code.missing) return code.refuse('Type all eight letters of the code in your terminal.')
    if (mustConfirm) return setConfirming(true)
    send()
  }
  return { code, decision, approve, send, isConfirming, cancel: () => setConfirming(false) }
}

function useSelection(bundle: RequestBundle | null, templateKeys: readonly string[]) {
  const [chosen, setChosen] = useState<{ bundle: RequestBundle; names: ReadonlySet<string> } | null>(null)
  if (bundle === null) return { selected: NONE, select: () => undefined }
  const selected = chosen?.bundle === bundle ? chosen.names : firstKeys(bundle.items, templateKeys).selected
  return { selected, select: (names: ReadonlySet<string>) => setChosen({ bundle, names }) }
}
