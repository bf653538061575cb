import type { RequestBundle } from '../../lib/answers.ts'
import { Notice } from '../../ui/notice.tsx'
import { BundleChoice } from './bundle-choice.tsx'
import { BundleKeys } from './bundle-keys.tsx'
import { EmptyLibrary } from './empty-library.tsx'
import type { OpenRequest } from './request-state.ts'
import { formatOf } from './requested-format.ts'
import type { useChoice } from './use-choice.ts'
import { WorkspaceChoice } from './workspace-choice.tsx'

type HandOverProps = {
  request: OpenRequest
  choice: ReturnType<typeof useChoice>
}

/** What the terminal would get: a workspace, a bundle, and which of its keys. */
export function HandOver({ request, choice }: HandOverProps) {
  const { place, state, selected, select, reload } = choice
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
          <div className="mt-4 space-y-3">
            <TwoPeople bundle={choice.bundle} />
            <BundleKeys
              suggested={context.suggested_bundle_id}
              templateKeys={context.template_keys}
              format={formatOf(context.requester_meta['command'])}
              state={state}
              selected={selected}
              onSelect={select}
              onRetry={reload}
            />
          </div>
        </>
      )}
    </section>
  )
}

function TwoPeople({ bundle }: { bundle: RequestBundle | null }) {
  if (bundle === null || (bundle.approvals_needed ?? 1) < 2) return null
  if (bundle.why_not?.code === 'second_person') return null
  const first = bundle.first_approval ?? null
  if (first === null)
    return <Notice tone="plain">Two people must approve this bundle. You are the first.</Notice>
  return (
    <Notice tone="plain">
      <strong>{first.person.name ?? 'A former member'}</strong> approved these keys first. With your approval
      the terminal gets them.
    </Notice>
  )
}
