import { decide } from '../domain/approvals/decision.ts'
import { endingOf } from '../domain/approvals/ending.ts'
import { forgetDevice, listGrants, revokeGrant, revokeOwnGrants } from '../domain/approvals/grant.ts'
import { useGrant } from '../domain/approvals/grant-use.ts'
import {
  bundlePolicy,
  changeBundlePolicy,
  changeTenantPolicy,
  rulesPlaces,
  tenantPolicy,
} from '../domain/approvals/set-policy.ts'
import { isSameNetwork } from '../domain/base/address-block.ts'
import { waitForRememberedChange } from '../domain/collection/changed-values.ts'
import { waitForApproval } from '../domain/collection/request-wait.ts'
import { freshCode, releaseRequest } from '../domain/endings/release.ts'
import { deny, withdrawRequest } from '../domain/endings/request-end.ts'
import { approveLater, leaveRequest, mayLeave } from '../domain/kinds/later-approval.ts'
import { NAMES } from '../domain/kinds/names-approval.ts'
import { offerNames } from '../domain/kinds/names-offer.ts'
import { DELIVERY, storePayload } from '../domain/kinds/request-approval.ts'
import { listCandidates, listOfferedBundles, offeredBundle } from '../domain/kinds/request-offer.ts'
import { listedIn, startWithTask } from '../domain/kinds/task.ts'
import { VOUCH } from '../domain/kinds/vouch.ts'
import { listWaiting } from '../domain/kinds/waiting.ts'
import { createRequest } from '../domain/requests/new-request.ts'
import { findOpen, requestContext } from '../domain/requests/request.ts'
import type { AppliedDeposit } from '../domain/requests/stored-deposit.ts'
import { type ApprovalRequest, approvalOf, newRequestState } from '../domain/requests/stored-request.ts'
import { type Handlers, originOf, type Peer, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { jsonArray, listReply, pageReply, readEntries } from './list-reply.ts'

export function requestHandlers({ requestParts: parts }: HandlerParts) {
  const startAlso = (...task: [ApprovalRequest, readonly string[]]) =>
    parts.deliveries.afterwards(() => startWithTask(parts, ...task))
  return {
    async createRequest({ body, peer }) {
      const { created, request } = await createRequest(parts, { asked: body, peer })
      const used = await useGrant(parts, request, originOf(peer))
      const isRemembered = used !== null && 'remembered' in used
      // Each approval that is remembered has its own bound of uses, so a restart takes nothing from its neighbours.
      const uncount = () => parts.uncountRequest(peer.address, body.device?.public_key)
      if (isRemembered) parts.deliveries.afterwards(uncount)
      const may_leave = !isRemembered && (await mayLeave(parts, newRequestState(request)))
      return { ...created, ...used, ...(may_leave ? { may_leave } : {}) }
    },
    async waitForApproval(call) {
      const { params, headers } = call
      const outcome = await waitForApproval(parts, {
        requestId: params.request_id,
        verifier: headers['x-poll-verifier'],
        known: call.query.known,
        epoch: call.query.epoch,
        onBreak: (listener) => call.onBreak(listener),
      })
      if (outcome.status === 'pending') {
        const { held, ...pending } = outcome
        const { statement } = held ? endingOf(parts, held) : {}
        return statement ? { ...pending, statement } : pending
      }
      if (outcome.status === 'applied') return storedAnswer(outcome.applied)
      const { approved, applied, claimId, ciphertextBase64: ciphertext_base64 } = outcome
      const ending = approved && endingOf(parts, approved)
      const delivery = parts.deliveries.of({ requestId: params.request_id, claimId }, async (own) => {
        await ending?.collected?.(own, originOf(call.peer))
      })
      if (applied) return new Reply({ body: storedAnswer(applied), delivery })
      return new Reply({ body: { status: 'ready', ciphertext_base64, ...ending?.facts }, delivery })
    },
    getRequestContext: async ({ params, peer }) =>
      seenFrom(peer, await requestContext(parts, params.request_id)),
    listCandidates: ({ caller, params }) => listCandidates(parts, caller, params.request_id),
    async listRequestBundles({ caller, params }) {
      const listing = await listOfferedBundles(parts, caller, params.request_id)
      return listReply(listing, ({ id, name, description }) => ({ id, name, description }))
    },
    getRequestBundle: ({ caller, params, query }) =>
      offeredBundle(parts, caller, {
        requestId: params.request_id,
        bundleId: params.bundle_id,
        names: query.keys?.split(','),
      }),
    async encryptFromBundle({ caller, params, body: choice, touch }) {
      if (choice.later)
        return await approveLater(parts, caller, { requestId: params.request_id, choice, touch })
      const deciding = {
        kind: DELIVERY,
        act: 'encryptFromBundle',
        touch,
        requestId: params.request_id,
        choice,
      }
      const { also = [] } = choice
      const asked = also.length === 0 ? null : await findOpen(parts, params.request_id)
      const decided = await decide(parts, caller, deciding)
      if (asked && decided.release === undefined) startAlso(asked.request, also)
      return decided
    },
    previewNames: ({ caller, params, query }) =>
      offerNames(parts, caller, { requestId: params.request_id, bundleId: query.bundle_id }),
    async approveNames({ caller, params, body: choice }) {
      const deciding = { kind: NAMES, act: 'approveNames', requestId: params.request_id, choice }
      return await decide(parts, caller, deciding)
    },
    async vouchForRequest({ caller, params, body: choice }) {
      const deciding = { kind: VOUCH, act: 'vouchForRequest', requestId: params.request_id, choice }
      const { ok, release } = await decide(parts, caller, deciding)
      if (release === undefined) throw new Error('a vouch that does not return to the terminal')
      return { ok, release }
    },
    denyRequest: ({ caller, params, query }) =>
      deny(parts, caller, { requestId: params.request_id, why: query.reason }),
    async withdrawRequest({ params, query, headers, peer }) {
      const claimant = claimantOf(params, headers)
      const isLeft = query.leave === '1' && (await leaveRequest(parts, claimant, originOf(peer)))
      if (isLeft) return { ok: true, left: true }
      await withdrawRequest(parts, claimant, originOf(peer))
      return { ok: true }
    },
    async releaseRequest({ params, headers, body, peer }) {
      const claimant = claimantOf(params, headers)
      const returned = await releaseRequest(parts, claimant, { ...body, origin: originOf(peer) })
      if (returned) startAlso(returned.request, listedIn(approvalOf(returned)?.approved))
    },
    createReleaseCode: async ({ caller, params, touch }) => ({
      release: await freshCode(parts, caller, { requestId: params.request_id, touch }),
    }),
    storePayload: ({ params, body }) => storePayload(parts, params.request_id, body.ciphertext_base64),
    listWaiting: ({ caller }) => listWaiting(parts, caller),
    listGrants: async ({ caller, query }) =>
      pageReply(await listGrants(parts, caller, query), (grant) => grant),
    revokeGrant: ({ caller, params }) => revokeGrant(parts, caller, params.grant_id),
    revokeOwnGrants: async ({ caller }) => ({ ended: await revokeOwnGrants(parts, caller) }),
    forgetDevice: async ({ body, peer }) => ({
      ended: await forgetDevice(parts, body.device, originOf(peer)),
    }),
    async waitForRememberedChange(call) {
      const { delivery_id, device } = call.body
      const open = { deliveryId: delivery_id, onBreak: (listener: () => void) => call.onBreak(listener) }
      return { delivery_id, changed: await waitForRememberedChange(parts, device, open) }
    },
    getBundlePolicy: ({ caller, params }) => bundlePolicy(parts, caller, params.bundle_id),
    changeBundlePolicy: ({ caller, params, body: change }) =>
      changeBundlePolicy(parts, caller, { bundleId: params.bundle_id, change }),
    async getTenantPolicy({ caller, query: { places, bundle_id: bundleId, folder } }) {
      const own = await tenantPolicy(parts, caller)
      if (places !== '1') return own
      const read = await readEntries(rulesPlaces(parts, caller, { bundleId, folder }), (place) => place)
      if ('entries' in read) return { ...own, places: read.entries }
      const open = `${JSON.stringify(own).slice(0, -1)},"places":[`
      return new Reply({ stream: jsonArray(read.chunks, { open, close: ']}' }) })
    },
    changeTenantPolicy: ({ caller, body: { folder = null, ...change } }) =>
      changeTenantPolicy(parts, caller, { folder, change }),
  } satisfies Partial<Handlers>
}

function storedAnswer(applied: AppliedDeposit) {
  return 'proposal' in applied
    ? ({ status: 'proposed', ...applied } as const)
    : ({ status: 'applied', ...applied } as const)
}

function claimantOf(params: { request_id: string }, headers: { 'x-poll-verifier'?: string | undefined }) {
  return { requestId: params.request_id, verifier: headers['x-poll-verifier'] }
}

/** A request's context with what the viewer's own address adds. */
function seenFrom<C extends { requester_meta: { ip: string } }>({ address }: Peer, context: C) {
  return { ...context, viewer_ip: address, same_network: isSameNetwork(context.requester_meta.ip, address) }
}
