import { useRef, useState } from 'react'
import { call } from '../../lib/api.ts'
import { describeFailure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { inWorkspace } from './place.ts'
import { type End, endOf, type HeldRequest } from './request-state.ts'

type HeldEndProps = {
  requestId: string
  request: HeldRequest
  onCode: (code: string, untilMs: number) => void
  onEnd: (end: End) => void
}

/** What a person does with an approval that has not returned: get a fresh code, or deny. */
export function useHeldEnd({ requestId, request, onCode, onEnd }: HeldEndProps) {
  const { busy, problem, attempt } = useOneCall(request.context.expires_at, onEnd)
  const params = { request_id: requestId }
  const getCode = () =>
    attempt(async () => {
      const headers = request.choice === null ? {} : inWorkspace(request.choice.workspaceId)
      const { release } = await call('POST', '/api/v1/requests/{request_id}/release-code', {
        params,
        headers,
      })
      if (release.by === 'code') onCode(release.code, serverNowMs() + release.expires_in * 1_000)
    })
  const deny = () =>
    attempt(async () => {
      await call('DELETE', '/api/v1/requests/{request_id}', { params })
      onEnd('denied')
    })
  return { busy, problem, getCode, deny }
}

// One call at a time. A request that is not there any more ends; other failures are shown.
function useOneCall(expiresAt: string, onEnd: (end: End) => void) {
  const underWay = useRef(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = async (act: () => Promise<void>) => {
    if (underWay.current) return
    underWay.current = true
    setBusy(true)
    setProblem(null)
    try {
      await act()
    } catch (error) {
      const failure = describeFailure(error)
      const end = failure.status === 404 ? endOf(failure, expiresAt, serverNowMs()) : null
      if (end === null) setProblem(failure.message)
      else onEnd(end)
    } finally {
      underWay.current = false
      setBusy(false)
    }
  }
  return { busy, problem, attempt }
}
