import { forgetDevice, listGrants, revokeGrant, revokeOwnGrants } from '../domain/approvals/grant.ts'
import { waitForRememberedChange } from '../domain/collection/changed-values.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { pageReply } from './list-reply.ts'

type GrantHandlers = Pick<
  Handlers,
  'listGrants' | 'revokeGrant' | 'revokeOwnGrants' | 'forgetDevice' | 'waitForRememberedChange'
>

export function grantHandlers({ requestParts: parts }: HandlerParts): GrantHandlers {
  return {
    async listGrants({ caller, query }) {
      return pageReply(await listGrants(parts, caller, query), (grant) => grant)
    },
    async revokeGrant({ caller, params }) {
      await revokeGrant(parts, caller, params.grant_id)
      return { status: 200, body: { ok: true } }
    },
    async revokeOwnGrants({ caller }) {
      return { status: 200, body: { ended: await revokeOwnGrants(parts, caller) } }
    },
    async forgetDevice({ body, peer }) {
      return { status: 200, body: { ended: await forgetDevice(parts, body.device, originOf(peer)) } }
    },
    async waitForRememberedChange(call) {
      const { delivery_id, device } = call.body
      const held = { deliveryId: delivery_id, onBreak: (listener: () => void) => call.onBreak(listener) }
      return {
        status: 200,
        body: { delivery_id, changed: await waitForRememberedChange(parts, device, held) },
      }
    },
  }
}
