import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { BundlesState } from './use-place.ts'

type BundleChoiceProps = {
  state: BundlesState
  chosenId: string | null
  onChoose: (id: string) => void
  onRetry: () => void
}

/** The bundle to share, out of those of the chosen workspace. */
export function BundleChoice({ state, chosenId, onChoose, onRetry }: BundleChoiceProps) {
  if (state.phase === 'none')
    return <p className="text-sm text-ink-soft">Choose a workspace to see its bundles.</p>
  if (state.phase === 'loading') return <p className="text-sm text-ink-soft">Loading the bundles…</p>
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
  const options = state.bundles.map(({ id, name, description }) => ({ id, name, detail: description }))
  return (
    <Combobox
      label="Bundle"
      placeholder="Search bundles"
      options={options}
      chosenId={chosenId}
      onChoose={onChoose}
    />
  )
}
