import { useState } from 'react'
import { withDistinctNames } from '../../../lib/words/workspace-names.ts'
import { call } from '../calls.ts'
import { keepPlace, keptPlace } from '../kept.ts'
import { useLoaded } from '../loaded.tsx'
import { endOf, kindOf, type RequestView } from '../request-state.ts'
import {
  type BundlePlaceIds,
  bundleIn,
  firstPlace,
  inWorkspace,
  offeredWorkspaces,
  onlyBundle,
} from './place.ts'

export type ChosenPlace = ReturnType<typeof usePlace>

/** The chosen workspace and bundle, and the bundles to choose from. A deposit names its bundle itself.
 * @param loadChoice loads the list to choose from: with the bundles, where nothing is chosen yet */
export function usePlace(
  { requestId, request: { context, candidates, person }, onEnd }: RequestView,
  loadChoice: () => Promise<object>,
) {
  const [place, setPlace] = useState<BundlePlaceIds>(
    () => keptPlace(requestId) ?? firstPlace(context, candidates, person.workspaces),
  )
  const choose = (chosen: BundlePlaceIds) => {
    setPlace(chosen)
    keepPlace(requestId, chosen)
  }
  const { workspaceId } = place
  const bundles = useLoaded(
    kindOf(context) === 'deposit' ? null : workspaceId,
    async (id) => {
      if (place.bundleId === null) await loadChoice()
      return await call('listRequestBundles', { request_id: requestId }, inWorkspace(id))
    },
    {
      onFailure: (failure) => {
        const end = endOf(failure, context.expires_at)
        if (end !== null) onEnd(end)
        return end !== null
      },
    },
  )
  return {
    workspaceId,
    bundleId: place.bundleId ?? onlyBundle(bundles.value ?? [], context),
    /** Those to choose from, as the page shows them. */
    offered: offeredWorkspaces(context, withDistinctNames(person.workspaces)),
    workspace: person.workspaces.find(({ id }) => id === workspaceId) ?? null,
    /** As the page shows it. */
    workspaceName: withDistinctNames(person.workspaces).find(({ id }) => id === workspaceId)?.name ?? null,
    bundles,
    chooseWorkspace: (id: string) => choose({ workspaceId: id, bundleId: bundleIn(id, candidates) }),
    chooseBundle: (bundleId: string) => choose({ workspaceId, bundleId }),
  }
}
