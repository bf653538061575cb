import { BundleChoice } from './bundle-choice.tsx'
import { BundleKeys } from './bundle-keys.tsx'
import { EmptyLibrary } from './empty-library.tsx'
import type { OpenRequest } from './request-state.ts'
import { formatOf } from './requested-format.ts'
import type { usePlace } from './use-place.ts'
import type { BundleState } from './use-request-bundle.ts'
import { WorkspaceChoice } from './workspace-choice.tsx'

type HandOverProps = {
  request: OpenRequest
  place: ReturnType<typeof usePlace>
  state: BundleState
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  onRetry: () => void
}

/** What the terminal would get: a workspace, a bundle, and which of its keys. */
export function HandOver({ request, place, ...keys }: HandOverProps) {
  const { context, candidates, person } = request
  const isEmpty = place.bundles.phase === 'ready' && place.bundles.bundles.length === 0
  return (
    <section
      aria-labelledby="hand-over"
      className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="hand-over" className="mb-3 text-sm font-semibold">
        What to share
      </h2>
      <WorkspaceChoice
        workspaces={person.workspaces}
        candidates={candidates}
        chosenId={place.workspaceId}
        onChoose={place.chooseWorkspace}
      />
      {isEmpty && place.workspace !== null ? (
        <EmptyLibrary
          workspace={place.workspace}
          isOneOfSeveral={person.workspaces.length > 1}
          fromTerminal={!person.signsIn}
        />
      ) : (
        <>
          <BundleChoice
            state={place.bundles}
            chosenId={place.bundleId}
            onChoose={place.chooseBundle}
            onRetry={place.reloadBundles}
          />
          <div className="mt-4">
            <BundleKeys
              suggested={context.suggested_bundle_id}
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
