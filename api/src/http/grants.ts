import { forgetDevice, listGrants, revokeGrant, revokeOwnGrants } from '../domain/approvals/grant.ts'
import { waitForRememberedChange } from '../domain/collection/changed-values.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { pageReply } from './list-reply.ts'

export function grantHandlers({ requestParts: parts }: HandlerParts) {
  return {
    listGrants: async ({ caller, query }) =>
      pageReply(await listGrants(parts, caller, query), (grant) => grant),
    revokeGrant: ({ caller, params }) => revokeGrant(parts, caller, params.grant_id),
    revokeOwnGrants: async ({ caller }) => ({ ended: await revokeOwnGrants(parts, caller) }),
    forgetDevice: async ({ body, peer }) => ({
      ended: await forgetDevice(parts, body.device, originOf(peer)),
    }),
    async waitForRememberedChange(call) {
      const { delivery_id, device } = call.body
      const held = { deliveryId: delivery_id, onBreak: (listener: () => void) => call.onBreak(listener) }
      return { delivery_id, changed: await waitForRememberedChange(parts, device, held) }
    },
  } satisfies Partial<Handlers>
}
