import { freshCode, releaseRequest } from '../domain/endings/release.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function releaseHandlers({
  requestParts: parts,
}: HandlerParts): Pick<Handlers, 'releaseRequest' | 'createReleaseCode'> {
  return {
    async releaseRequest({ params, headers, body, peer }) {
      const claimant = { requestId: params.request_id, verifier: headers['x-poll-verifier'] }
      await releaseRequest(parts, claimant, { secret: body.secret, origin: originOf(peer) })
      return { status: 200, body: { ok: true } }
    },
    async createReleaseCode({ caller, params }) {
      return { status: 200, body: { release: await freshCode(parts, caller, params.request_id) } }
    },
  }
}
