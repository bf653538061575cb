import type { RequestBundle } from '../../lib/answers.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { KeyChoice } from './key-choice.tsx'
import { firstKeys } from './selection.ts'
import type { BundleState } from './use-request-bundle.ts'

type BundleKeysProps = {
  state: BundleState
  templateKeys: readonly string[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onRetry: () => void
}

/** The keys of the chosen bundle, as far as they have arrived, with what is missing of those asked for. */
export function BundleKeys({ state, templateKeys, selected, onSelect, onRetry }: BundleKeysProps) {
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
