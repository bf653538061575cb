import type { FormatName } from '@keyferry/contract/env/format-names'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { KeyChoice } from './key-choice.tsx'
import { KeyNotes } from './key-notes.tsx'
import { isNamed } from './place.ts'
import type { BundleState } from './use-request-bundle.ts'

type BundleKeysProps = {
  state: BundleState
  /** The bundle that the terminal names. */
  suggested: string | null
  templateKeys: readonly string[]
  format: FormatName | null
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onRetry: () => void
}

/** The keys of the chosen bundle, as far as they have arrived, with what is missing of those asked for. */
export function BundleKeys({ state, suggested, format, onRetry, ...choice }: BundleKeysProps) {
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
  const { items, name, first_approval: first } = state.bundle
  if (items.length === 0)
    return <p className="text-sm text-ink-soft">This bundle has no keys. Choose another.</p>
  return (
    <div className="space-y-3">
      <KeyNotes bundle={state.bundle} format={format} {...choice} />
      <KeyChoice
        items={items}
        bundleName={name}
        isFixed={first !== undefined && first !== null}
        wasNamed={suggested !== null && isNamed(state.bundle, suggested)}
        {...choice}
      />
    </div>
  )
}
