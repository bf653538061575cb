import { useCallback, useEffect, useState } from 'react'
import type { RequestBundle } from '../../lib/answers.ts'
import { call } from '../../lib/api.ts'
import { describeFailure, type Failure } from '../../lib/failure.ts'
import { inWorkspace, type Place } from './place.ts'

export type BundleState =
  | { phase: 'none' }
  | { phase: 'loading' }
  | { phase: 'ready'; bundle: RequestBundle }
  | { phase: 'failed'; failure: Failure }

/** The chosen bundle with its entries masked; an answer that comes after another choice is dropped. */
export function useRequestBundle(requestId: string, { workspaceId, bundleId }: Place) {
  const [state, setState] = useState<BundleState>({ phase: 'none' })
  const load = useCallback(() => {
    if (workspaceId === null || bundleId === null) return setState({ phase: 'none' })
    let current = true
    setState({ phase: 'loading' })
    const headers = inWorkspace(workspaceId)
    const params = { request_id: requestId, bundle_id: bundleId }
    call('GET', '/api/v1/requests/{request_id}/bundles/{bundle_id}', { params, headers }).then(
      (bundle) => current && setState({ phase: 'ready', bundle }),
      (error: unknown) => current && setState({ phase: 'failed', failure: describeFailure(error) }),
    )
    return () => {
      current = false
    }
  }, [requestId, workspaceId, bundleId])
  useEffect(load, [load])
  return { state, reload: load }
}
