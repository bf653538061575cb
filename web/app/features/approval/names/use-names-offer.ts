import { useCallback, useEffect, useState } from 'react'
import type { NamesOffer } from '../../../lib/answers.ts'
import { call } from '../../../lib/api.ts'
import { describeFailure, type Failure } from '../../../lib/failure.ts'
import { inWorkspace, type Place } from '../place.ts'

export type OfferState =
  | { phase: 'none' }
  | { phase: 'loading' }
  | { phase: 'ready'; offer: NamesOffer }
  | { phase: 'failed'; failure: Failure }

/** What an approval would list: the names of the chosen bundle, or the bundles of the chosen workspace. An answer that comes
 * after another choice is dropped. */
export function useNamesOffer(requestId: string, { workspaceId, bundleId }: Place, asksForBundle: boolean) {
  const [state, setState] = useState<OfferState>({ phase: 'none' })
  const isChosen = workspaceId !== null && (bundleId !== null || !asksForBundle)
  const load = useCallback(() => {
    if (!isChosen) return setState({ phase: 'none' })
    let current = true
    setState({ phase: 'loading' })
    call('GET', '/api/v1/requests/{request_id}/names', {
      params: { request_id: requestId },
      query: asksForBundle && bundleId !== null ? { bundle_id: bundleId } : {},
      headers: inWorkspace(workspaceId),
    }).then(
      (offer) => current && setState({ phase: 'ready', offer }),
      (error: unknown) => current && setState({ phase: 'failed', failure: describeFailure(error) }),
    )
    return () => {
      current = false
    }
  }, [requestId, workspaceId, bundleId, asksForBundle, isChosen])
  useEffect(load, [load])
  return { state, offer: state.phase === 'ready' ? state.offer : null, reload: load }
}
