import { joinsAnother, listCompanions } from '../domain/approvals/companions.ts'
import { decide } from '../domain/approvals/decision.ts'
import { endingOf } from '../domain/approvals/ending.ts'
import { type GrantUseParts, useGrant } from '../domain/approvals/grant-use.ts'
import type { PolicyParts } from '../domain/approvals/policy.ts'
import type { ChangeParts } from '../domain/collection/changed-values.ts'
import { type WaitParts, waitForApproval } from '../domain/collection/request-wait.ts'
import type { ReleaseParts } from '../domain/endings/release.ts'
import { deny, withdrawRequest } from '../domain/endings/request-end.ts'
import type { ExpiringApprovals } from '../domain/endings/take-back.ts'
import { rescueDeposit } from '../domain/kinds/deposit-storing.ts'
import { type ApprovalParts, DELIVERY, storePayload } from '../domain/kinds/request-approval.ts'
import { listCandidates, listOfferedBundles, offeredBundle } from '../domain/kinds/request-offer.ts'
import { createRequest, type NewRequestParts } from '../domain/requests/new-request.ts'
import { requestContext } from '../domain/requests/request.ts'
import type { Stores } from '../domain/stores.ts'
import { isSameNetwork } from './address-block.ts'
import { type Handlers, originOf } from './handler.ts'
import { listReply } from './list-reply.ts'

export type RequestHandlerParts = NewRequestParts &
  ApprovalParts &
  Omit<WaitParts, 'onTaken'> &
  ReleaseParts &
  GrantUseParts &
  ChangeParts &
  PolicyParts & {
    stores: Stores
    expiring: ExpiringApprovals
    /** Takes back the count of a request by this address. */
    uncountRequest: (address: string) => Promise<void>
  }

type RequestEndpoint =
  | 'createRequest'
  | 'waitForApproval'
  | 'getRequestContext'
  | 'listCompanions'
  | 'listCandidates'
  | 'listRequestBundles'
  | 'getRequestBundle'
  | 'encryptFromBundle'
  | 'denyRequest'
  | 'withdrawRequest'
  | 'storePayload'

export function requestHandlers(parts: RequestHandlerParts): Pick<Handlers, RequestEndpoint> {
  const waitParts = { ...parts, onTaken: (requestId: string) => rescueDeposit(parts, requestId) }
  return {
    async createRequest({ body, peer }) {
      const { created, request } = await createRequest(parts, { asked: body, peer })
      const used = await useGrant(parts, request, originOf(peer))
      const isRemembered = used !== null && 'remembered' in used
      // Each approval that is remembered has its own bound of uses, so a restart takes nothing from its neighbours.
      if (isRemembered) parts.deliveries.afterwards(() => parts.uncountRequest(peer.address))
      const joins = !isRemembered && (await joinsAnother(parts, request))
      return { status: 201, body: { ...created, ...used, ...(joins ? { joins } : {}) } }
    },
    async waitForApproval(call) {
      const { params, headers } = call
      const outcome = await waitForApproval(waitParts, {
        requestId: params.request_id,
        verifier: headers['x-poll-verifier'],
        known: call.query.known,
        onBreak: (listener) => call.onBreak(listener),
      })
      if (outcome.status === 'pending') return { status: 200, body: outcome }
      const { approved, applied, claimId, ciphertextBase64: ciphertext_base64 } = outcome
      const ending = approved && endingOf(parts, approved)
      const delivery = parts.deliveries.of({ requestId: params.request_id, claimId }, async () => {
        await ending?.collected?.(originOf(call.peer))
      })
      if (applied) return { status: 200, body: { status: 'applied', deposit: applied }, delivery }
      return { status: 200, body: { status: 'ready', ciphertext_base64, ...ending?.facts }, delivery }
    },
    async getRequestContext({ params, peer }) {
      const context = await requestContext(parts, params.request_id)
      const same_network = isSameNetwork(context.requester_meta.ip, peer.address)
      return { status: 200, body: { ...context, viewer_ip: peer.address, same_network } }
    },
    async listCompanions({ params, peer }) {
      const companions = await listCompanions(parts, params.request_id)
      const seen = companions.map(({ request_id, context }) => {
        const same_network = isSameNetwork(context.requester_meta.ip, peer.address)
        return { request_id, context: { ...context, viewer_ip: peer.address, same_network } }
      })
      return { status: 200, body: seen }
    },
    async listCandidates({ caller, params }) {
      return { status: 200, body: await listCandidates(parts, caller, params.request_id) }
    },
    async listRequestBundles({ caller, params }) {
      const listing = await listOfferedBundles(parts, caller, params.request_id)
      return listReply(listing, ({ id, name, description }) => ({ id, name, description }))
    },
    async getRequestBundle({ caller, params }) {
      const asked = { requestId: params.request_id, bundleId: params.bundle_id }
      return { status: 200, body: await offeredBundle(parts, caller, asked) }
    },
    async encryptFromBundle({ caller, params, body }) {
      const deciding = { kind: DELIVERY, requestId: params.request_id, choice: body }
      const { approved, request } = await decide(parts, caller, deciding)
      parts.expiring.watch(request)
      return { status: 200, body: approved }
    },
    async denyRequest({ caller, params, query }) {
      await deny(parts, caller, { requestId: params.request_id, why: query.reason })
      return { status: 200, body: { ok: true } }
    },
    async withdrawRequest({ params, headers, peer }) {
      const claimant = { requestId: params.request_id, verifier: headers['x-poll-verifier'] }
      await withdrawRequest(parts, claimant, originOf(peer))
      return { status: 200, body: { ok: true } }
    },
    async storePayload({ params, body }) {
      await storePayload(parts, params.request_id, body.ciphertext_base64)
      return { status: 200, body: { ok: true } }
    },
  }
}
