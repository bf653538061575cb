import type { RequestBundleEntry, RequestContext } from '../../lib/answers.ts'
import { BundleChoice } from './bundle-choice.tsx'
import { BundleKeys } from './bundle-keys.tsx'
import { EmptyLibrary } from './empty-library.tsx'
import { formatOf } from './requested-format.ts'
import type { BundleState } from './use-request-bundle.ts'

type HandOverProps = {
  context: RequestContext
  bundles: readonly RequestBundleEntry[]
  bundleId: string | null
  onBundle: (id: string) => void
  state: BundleState
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onRetry: () => void
}

/** What the terminal would be given: a bundle, and which of its keys. */
export function HandOver({ context, bundles, bundleId, onBundle, ...keys }: HandOverProps) {
  return (
    <section
      aria-labelledby="hand-over"
      className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="hand-over" className="mb-3 text-sm font-semibold">
        What to hand over
      </h2>
      {bundles.length === 0 ? (
        <EmptyLibrary />
      ) : (
        <>
          <BundleChoice
            bundles={bundles}
            suggested={context.suggested_bundle_id}
            chosenId={bundleId}
            onChoose={onBundle}
          />
          <div className="mt-4">
            <BundleKeys
              templateKeys={context.template_keys}
              format={formatOf(context.requester_meta['command'])}
              {...keys}
            />
          </div>
        </>
      )}
    </section>
  )
}
