import { MASK, type RequestBundle, type RequestContext } from '@keyferry/contract'
import type { z } from 'zod'
import { findLive, requestEnded, userCodeOf } from './approval-request.ts'
import type { ApprovalRequest, ApprovalStore } from './approval-store.ts'
import { type Bundle, findBundle, listBundles } from './bundle.ts'
import { type BundleEntry, bundleEntries } from './bundle-entry.ts'
import type { Listing } from './listing.ts'
import type { Caller } from './membership.ts'
import type { Source } from './source.ts'
import type { Stores } from './stores.ts'

export type ApprovalParts = {
  approvals: ApprovalStore
  stores: Pick<Stores, 'attachments' | 'bundles' | 'legacyItems'>
  source: Source
  /** Of the plaintext that is sealed. */
  maxPayloadBytes: number
  /** `typed`: the approver has to type the check code. */
  assurance: 'compat' | 'typed'
}

/** What the approval page shows (interface: "Get request context").
 * @throws DomainError not_found · request_denied · request_withdrawn */
export async function requestContext(
  parts: ApprovalParts,
  requestId: string,
): Promise<z.output<typeof RequestContext>> {
  const { request, status } = await findOpen(parts, requestId)
  return {
    cli_pubkey: request.publicKey,
    suggested_bundle_id: request.suggestedBundle,
    template_keys: request.templateKeys,
    requester_meta: request.requesterMeta,
    status,
    user_code: userCodeOf(request),
    user_code_required: parts.assurance === 'typed',
    expires_at: new Date(request.expiresAtMs).toISOString(),
  }
}

/** The bundles that the approver can choose from.
 * @throws DomainError not_found · request_denied · request_withdrawn */
export async function listOfferedBundles(
  parts: ApprovalParts,
  caller: Caller,
  requestId: string,
): Promise<Listing<Bundle>> {
  await findOpen(parts, requestId)
  return listBundles(parts.stores.bundles, caller, { filter: {}, page: {} })
}

/** A bundle's entries for the approver, every value masked: to choose names, no value has to reach a browser.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn */
export async function offeredBundle(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, bundleId }: { requestId: string; bundleId: string },
): Promise<z.output<typeof RequestBundle>> {
  await findOpen(parts, requestId)
  const { id, name, description } = await findBundle(parts.stores.bundles, caller, bundleId)
  const entries = await bundleEntries(parts.stores, { tenantId: caller.tenantId, bundleId: id }, 'none')
  return { id, name, description, items: entries.map(maskedItem) }
}

/** A request that was neither denied nor withdrawn.
 * @throws DomainError not_found · request_denied · request_withdrawn */
export async function findOpen(
  parts: ApprovalParts,
  requestId: string,
): Promise<{ request: ApprovalRequest; status: 'pending' | 'ready' }> {
  const { request, status } = await findLive(parts, requestId)
  if (status === 'denied' || status === 'withdrawn') throw requestEnded(status)
  return { request, status }
}

function maskedItem({ name, is_secret, description, required }: BundleEntry) {
  return { key: name, value: MASK, is_secret, description, required }
}
