import { useEffect, useRef, useState } from 'react'
import type { RequestBundle, RequestBundleEntry, RequestContext } from '../../lib/answers.ts'
import { useTitle } from '../../lib/use-title.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BundleChoice } from './bundle-choice.tsx'
import { CheckCode } from './check-code.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { EmptyLibrary } from './empty-library.tsx'
import { KeyChoice } from './key-choice.tsx'
import { RequestFacts } from './request-facts.tsx'
import type { Choice, End } from './request-state.ts'
import { firstBundle, firstKeys } from './selection.ts'
import { useDecision } from './use-decision.ts'
import { type BundleState, useRequestBundle } from './use-request-bundle.ts'

const CODE_LETTERS = 8

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
  const suggested = context.suggested_bundle_id
  const [bundleId, setBundleId] = useState(() => firstBundle(bundles, suggested)?.id ?? null)
  const { state, reload } = useRequestBundle(requestId, bundleId)
  const [selected, setSelected] = useSelection(state, context.template_keys)
  const decision = useDecision({ requestId, context, onApproved, onEnd })
  const code = useTypedCode(context.user_code_required)

  const approve = () => {
    if (state.phase !== 'ready') return decision.setProblem('Choose a bundle first.')
    const { items, ...bundle } = state.bundle
    const keys = items.map(({ key }) => key).filter((name) => selected.has(name))
    if (keys.length === 0) return decision.setProblem('Select at least one key.')
    if (code.required && !code.complete) return code.askAgain()
    void decision.approve({ bundle, keys }, code.typed)
  }
  return (
    <>
      <h1 className="text-2xl font-semibold tracking-tight">A terminal asks for secrets</h1>
      <p className="mt-1 text-ink-soft">Hand them over only if you asked for them yourself, just now.</p>
      <div className="mt-5 grid gap-4 lg:grid-cols-[22rem_1fr] lg:items-start lg:gap-6">
        <div className="space-y-4">
          <CheckCode
            code={context.user_code}
            typed={code.typed}
            onType={code.type}
            problem={code.problem}
            inputRef={code.input}
          />
          <RequestFacts meta={context.requester_meta} />
        </div>
        <section aria-labelledby="hand-over" className="rounded-lg border border-line bg-surface p-4 sm:p-5">
          <h2 id="hand-over" className="mb-3 text-sm font-semibold">
            What to hand over
          </h2>
          {bundles.length === 0 ? (
            <EmptyLibrary />
          ) : (
            <>
              <BundleChoice
                bundles={bundles}
                suggested={suggested}
                chosenId={bundleId}
                onChoose={setBundleId}
              />
              <div className="mt-4">
                <BundleKeys
                  state={state}
                  templateKeys={context.template_keys}
                  selected={selected}
                  onSelect={setSelected}
                  onRetry={reload}
                />
              </div>
            </>
          )}
        </section>
      </div>
      <div className="h-4" />
      <DecisionBar
        context={context}
        count={bundles.length === 0 ? null : state.phase === 'ready' ? selected.size : 0}
        busy={decision.busy}
        problem={decision.problem}
        onApprove={approve}
        onDeny={() => void decision.deny()}
        onExpired={() => onEnd('expired')}
      />
    </>
  )
}

function useSelection(state: BundleState, templateKeys: readonly string[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const bundle = state.phase === 'ready' ? state.bundle : null
  useEffect(() => {
    if (bundle !== null) setSelected(firstKeys(bundle.items, templateKeys).selected)
  }, [bundle, templateKeys])
  return [selected, setSelected] as const
}

function useTypedCode(required: boolean) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const askAgain = () => {
    setProblem('Type all eight letters of the code in your terminal.')
    input.current?.focus()
  }
  const type = (next: string) => {
    setText(next)
    setProblem(null)
  }
  const complete = text.replace(/[^A-Z]/g, '').length === CODE_LETTERS
  return { required, typed: required ? text : null, complete, problem, type, askAgain, input }
}

type BundleKeysProps = {
  state: BundleState
  templateKeys: readonly string[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onRetry: () => void
}

function BundleKeys({ state, templateKeys, selected, onSelect, onRetry }: BundleKeysProps) {
  if (state.phase === 'none') return <p className="text-sm text-ink-soft">Choose a bundle to see its keys.</p>
  if (state.phase === 'loading') return <p className="text-sm text-ink-soft">Loading the keys…</p>
  if (state.phase === 'failed') {
    return (
      <Notice tone="danger" role="alert">
        <p>{state.failure.message}</p>
        <Button size="small" className="mt-2" onClick={onRetry}>
          Try again
        </Button>
      </Notice>
    )
  }
  const { items } = state.bundle
  if (items.length === 0)
    return <p className="text-sm text-ink-soft">This bundle has no keys. Choose another.</p>
  return (
    <div className="space-y-3">
      <KeyNotes bundle={state.bundle} templateKeys={templateKeys} selected={selected} />
      <KeyChoice items={items} selected={selected} onSelect={onSelect} />
    </div>
  )
}

type KeyNotesProps = { bundle: RequestBundle; templateKeys: readonly string[]; selected: ReadonlySet<string> }

function KeyNotes({ bundle, templateKeys, selected }: KeyNotesProps) {
  const { missing } = firstKeys(bundle.items, templateKeys)
  const left = bundle.items
    .filter(({ key, required }) => required && !selected.has(key))
    .map(({ key }) => key)
  return (
    <>
      {missing.length > 0 && (
        <Notice tone="caution">
          Asked for, but not in this bundle: <Names names={missing} />
        </Notice>
      )}
      {left.length > 0 && (
        <Notice tone="caution">
          Required, but not selected: <Names names={left} />
        </Notice>
      )}
    </>
  )
}

function Names({ names }: { names: readonly string[] }) {
  return <span className="font-mono">{names.map((name) => visibleText(name)).join(', ')}</span>
}
