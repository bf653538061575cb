import { useCallback, useEffect, useState } from 'react'
import type { RequestBundleEntry } from '../../lib/answers.ts'
import { call } from '../../lib/api.ts'
import { describeFailure, type Failure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { toldApart } from '../../lib/workspace-names.ts'
import { bundleIn, firstPlace, inWorkspace, onlyBundle, type Place } from './place.ts'
import { type End, endOf, type OpenRequest } from './request-state.ts'

/** The bundles of the chosen workspace, as far as they have arrived. */
export type BundlesState =
  | { phase: 'none' }
  | { phase: 'loading' }
  | { phase: 'ready'; bundles: readonly RequestBundleEntry[] }
  | { phase: 'failed'; failure: Failure }

/** The chosen workspace and bundle, and the bundles to choose from. */
export function usePlace(
  requestId: string,
  { context, candidates, person }: OpenRequest,
  onEnd: (end: End) => void,
) {
  const [place, setPlace] = useState<Place>(() => firstPlace(context, candidates, person.workspaces))
  const { workspaceId } = place
  const onLoaded = useCallback(
    (bundles: readonly RequestBundleEntry[]) =>
      setPlace((before) => ({ ...before, bundleId: before.bundleId ?? onlyBundle(bundles, context) })),
    [context],
  )
  const { state, reload } = useBundles({
    requestId,
    workspaceId,
    onLoaded,
    onEnd,
    expiresAt: context.expires_at,
  })
  return {
    ...place,
    workspace: person.workspaces.find(({ id }) => id === workspaceId) ?? null,
    /** As the page shows it. */
    workspaceName: toldApart(person.workspaces).find(({ id }) => id === workspaceId)?.name ?? null,
    bundles: state,
    reloadBundles: reload,
    chooseWorkspace: (id: string) => setPlace({ workspaceId: id, bundleId: bundleIn(id, candidates) }),
    chooseBundle: (bundleId: string) => setPlace({ workspaceId, bundleId }),
  }
}

type Loading = {
  requestId: string
  workspaceId: string | null
  expiresAt: string
  onLoaded: (bundles: readonly RequestBundleEntry[]) => void
  onEnd: (end: End) => void
}

// An answer that comes after another choice is dropped.
function useBundles({ requestId, workspaceId, expiresAt, onLoaded, onEnd }: Loading) {
  const [state, setState] = useState<BundlesState>({ phase: 'none' })
  const load = useCallback(() => {
    if (workspaceId === null) return setState({ phase: 'none' })
    const succeed = (bundles: readonly RequestBundleEntry[]) => {
      setState({ phase: 'ready', bundles })
      onLoaded(bundles)
    }
    const fail = (failure: Failure) => {
      const end = endOf(failure, expiresAt, serverNowMs())
      if (end === null) setState({ phase: 'failed', failure })
      else onEnd(end)
    }
    let current = true
    setState({ phase: 'loading' })
    const options = { params: { request_id: requestId }, headers: inWorkspace(workspaceId) }
    call('GET', '/api/v1/requests/{request_id}/bundles', options).then(
      (bundles) => current && succeed(bundles),
      (error: unknown) => current && fail(describeFailure(error)),
    )
    return () => {
      current = false
    }
  }, [requestId, workspaceId, expiresAt, onLoaded, onEnd])
  useEffect(load, [load])
  return { state, reload: load }
}
