import { decide } from '../domain/approvals/decision.ts'
import { NAMES } from '../domain/kinds/names-approval.ts'
import { offerNames } from '../domain/kinds/names-offer.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function namesHandlers({
  requestParts: parts,
}: HandlerParts): Pick<Handlers, 'previewNames' | 'approveNames'> {
  return {
    async previewNames({ caller, params, query }) {
      const asked = { requestId: params.request_id, bundleId: query.bundle_id }
      return { status: 200, body: await offerNames(parts, caller, asked) }
    },
    async approveNames({ caller, params, body }) {
      const deciding = { kind: NAMES, requestId: params.request_id, choice: body }
      const { approved, request } = await decide(parts, caller, deciding)
      parts.expiring.watch(request)
      return { status: 200, body: approved }
    },
  }
}
