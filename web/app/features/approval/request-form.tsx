import { useRef, useState } from 'react'
import type { RequestBundle, RequestBundleEntry, RequestContext } from '../../lib/answers.ts'
import { useTitle } from '../../lib/use-title.ts'
import { CheckCode } from './check-code.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { HandOver } from './hand-over.tsx'
import { RequestFacts } from './request-facts.tsx'
import type { Choice, End } from './request-state.ts'
import { firstBundle, firstKeys } from './selection.ts'
import { SendMoreDialog } from './send-more-dialog.tsx'
import { useDecision } from './use-decision.ts'
import { type BundleState, useRequestBundle } from './use-request-bundle.ts'

const CODE_LETTERS = 8
const NONE: ReadonlySet<string> = new Set()
const NO_KEYS_YET: Readonly<Record<BundleState['phase'], string>> = {
  none: 'Choose a bundle first.',
  loading: 'The keys are still loading.',
  failed: 'The keys of this bundle could not be loaded.',
  ready: '',
}

type RequestFormProps = {
  requestId: string
  context: RequestContext
  bundles: readonly RequestBundleEntry[]
  onApproved: (choice: Choice) => void
  onEnd: (end: End) => void
}

/** An open request: who asks, what to hand over, and the decision. */
export function RequestForm({ requestId, context, bundles, onApproved, onEnd }: RequestFormProps) {
  useTitle('Approve this request?')
  const [bundleId, setBundleId] = useState(
    () => firstBundle(bundles, context.suggested_bundle_id)?.id ?? null,
  )
  const { state, reload } = useRequestBundle(requestId, bundleId)
  const bundle = state.phase === 'ready' ? state.bundle : null
  const { selected, select } = useSelection(bundle, context.template_keys)
  const code = useTypedCode(context.user_code_required)
  const decision = useDecision({ requestId, context, onApproved, onEnd, onWrongCode: code.refuse })

  const [isConfirming, setConfirming] = useState(false)

  const keys = bundle === null ? [] : bundle.items.map(({ key }) => key).filter((name) => selected.has(name))
  const wanted = new Set(context.template_keys)
  const unasked = wanted.size === 0 ? [] : keys.filter((name) => !wanted.has(name))
  const send = () => {
    setConfirming(false)
    if (bundle !== null) void decision.approve({ bundle, keys }, code.field.typed)
  }
  const approve = () => {
    if (bundle === null) return decision.setProblem(NO_KEYS_YET[state.phase])
    if (keys.length === 0) return decision.setProblem('Select at least one key.')
    if (code.missing) return code.refuse('Type all eight letters of the code in your terminal.')
    if (unasked.length > 0) return setConfirming(true)
    send()
  }
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">A terminal asks for secrets</h1>
      <p className="mt-1 text-ink-soft">Hand them over only if you asked for them yourself, just now.</p>
      <div className="mt-5 grid gap-4 lg:grid-cols-[22rem_1fr] lg:items-start lg:gap-6">
        <div className="min-w-0 space-y-4">
          <CheckCode code={context.user_code} {...code.field} />
          <RequestFacts meta={context.requester_meta} />
        </div>
        <HandOver
          context={context}
          bundles={bundles}
          bundleId={bundleId}
          onBundle={setBundleId}
          state={state}
          selected={selected}
          onSelect={select}
          onRetry={reload}
        />
      </div>
      <DecisionBar
        context={context}
        count={bundles.length === 0 ? null : selected.size}
        bundleName={bundle?.name ?? null}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={approve}
        onDeny={() => void decision.deny()}
        onExpired={() => onEnd('expired')}
      />
      {isConfirming && (
        <SendMoreDialog unasked={unasked} onConfirm={send} onClose={() => setConfirming(false)} />
      )}
    </>
  )
}

function useSelection(bundle: RequestBundle | null, templateKeys: readonly string[]) {
  const [chosen, setChosen] = useState<{ bundle: RequestBundle; names: ReadonlySet<string> } | null>(null)
  if (bundle === null) return { selected: NONE, select: () => undefined }
  const selected = chosen?.bundle === bundle ? chosen.names : firstKeys(bundle.items, templateKeys).selected
  return { selected, select: (names: ReadonlySet<string>) => setChosen({ bundle, names }) }
}

function useTypedCode(required: boolean) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const refuse = (reason: string) => {
    setProblem(reason)
    input.current?.focus()
  }
  const type = (next: string) => {
    setText(next)
    setProblem(null)
  }
  const complete = text.replace(/[^A-Z]/g, '').length === CODE_LETTERS
  const field = { typed: required ? text : null, onType: type, problem, inputRef: input }
  return { field, missing: required && !complete, refuse }
}
