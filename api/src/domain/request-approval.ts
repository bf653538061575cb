import { ATTEMPTS, type EncryptFromBundle, MASK, type RequestBundle } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { type Bundle, type BundleOfTenant, type BundleStore, findBundle, listBundles } from './bundle.ts'
import { type BundleEntry, bundleEntries, type EntryStores } from './bundle-entry.ts'
import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import type { DeliveryStore } from './delivery.ts'
import { DomainError } from './errors.ts'
import type { EventStore } from './event.ts'
import { dueOf } from './key-lifetime.ts'
import type { Listing } from './listing.ts'
import type { Caller, Visitor } from './membership.ts'
import {
  alreadyApproved,
  findOpen,
  publicKeyOf,
  type RequestParts,
  requireOpen,
  userCodeOf,
} from './request.ts'
import { deliveryOf, expiredNames } from './request-delivery.ts'
import type { Approval, ApprovalRequest, Sealed } from './request-store.ts'
import { payloadTooLarge, SEAL_BYTES, sealValues, valuesOf } from './sealed-values.ts'
import { findTenant, type TenantStore } from './tenant.ts'

/*
 * What the approver does with a request: choose a bundle and key names, and approve. A member may approve with bundles
 * of the tenant of the call only. Every name must be in the bundle, and the payload must fit `maxPayloadBytes`. Values
 * are decrypted and sealed here, so that none reaches a browser; the approver reads masks.
 */

export type ApprovalParts = RequestParts & {
  stores: EntryStores & {
    bundles: BundleStore
    deliveries: DeliveryStore
    events: EventStore
    tenants: TenantStore
  }
  /** Bound of the plaintext that is sealed. */
  maxPayloadBytes: number
  /** `typed`: the approver has to type the check code. */
  assurance: 'compat' | 'typed'
}

/** The bundles that the approver can choose from.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function listOfferedBundles(
  parts: ApprovalParts,
  caller: Caller,
  requestId: string,
): Promise<Listing<Bundle>> {
  await findOpen(parts, requestId)
  return listBundles(parts.stores.bundles, caller, { filter: {}, page: {} })
}

/** The bundles that the request may mean: those of the caller's tenants whose id or name the client named, in the
 * workspace that the client named, if any. Empty when the client named no bundle.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function listCandidates(
  parts: ApprovalParts,
  { userId }: Visitor,
  requestId: string,
): Promise<BundleOfTenant[]> {
  const { request } = await findOpen(parts, requestId)
  if (request.suggestedBundle === null) return []
  const suggestion = { bundle: request.suggestedBundle, workspace: request.suggestedWorkspace }
  return parts.stores.bundles.findSuggested(userId, suggestion)
}

/** A bundle's entries for the approver, every value masked.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired */
export async function offeredBundle(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, bundleId }: { requestId: string; bundleId: string },
): Promise<z.output<typeof RequestBundle>> {
  await findOpen(parts, requestId)
  const { id, name, description } = await findBundle(parts.stores.bundles, caller, bundleId)
  const entries = await bundleEntries(parts.stores, { tenantId: caller.tenantId, bundleId: id }, 'none')
  const now = parts.clock.now()
  return {
    id,
    name,
    description,
    items: entries.map((entry) => ({ ...maskedItem(entry), due: dueOf(entry, now) })),
  }
}

/** Approve: seal the chosen values to the client's key (interface: "Approve"). Of any number of calls one wins.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired ·
 *   conflict (approved already) · invalid (a name that the bundle does not hold, a wrong or missing check code) · too_large */
export async function approve(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: z.output<typeof EncryptFromBundle> },
): Promise<void> {
  const request = await findPending(parts, requestId)
  await requireUserCode(parts, request, choice.user_code)
  const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
  const tenant = await findTenant(parts.stores.tenants, caller, caller.tenantId)
  const place = { tenantId: tenant.id, bundleId: bundle.id }
  const { values, entries, missingRequired } = await valuesOf(parts, place, choice.include_keys)
  const ciphertextBase64 = sealValues(values, {
    publicKey: publicKeyOf(request.publicKey),
    maxBytes: parts.maxPayloadBytes,
  })
  const delivery = deliveryOf(parts.clock, { caller, request, bundle, entries })
  const approval = {
    approverId: caller.userId,
    tenant: named(tenant),
    bundle: named(bundle),
    missingRequired,
    deliveryId: delivery.id,
    versions: delivery.keys.flatMap(({ name, version, isPart }) =>
      isPart === true ? [] : [{ name, version }],
    ),
    expired: expiredNames(entries, parts.clock.now()),
  }
  await parts.stores.deliveries.begin(tenant.id, delivery)
  await settle(parts, requestId, { ciphertextBase64, approval })
}

/** Store a ciphertext that was sealed elsewhere; for development.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict · too_large */
export async function storePayload(
  parts: ApprovalParts,
  requestId: string,
  ciphertextBase64: string,
): Promise<void> {
  if (Buffer.byteLength(ciphertextBase64, 'base64') > parts.maxPayloadBytes + SEAL_BYTES) {
    throw payloadTooLarge(parts.maxPayloadBytes)
  }
  const request = await findPending(parts, requestId)
  await settle(parts, request.id, { ciphertextBase64, approval: null })
}

async function settle({ requests, stores, clock }: ApprovalParts, id: string, sealed: Sealed): Promise<void> {
  const settled = await requests.seal(id, sealed, clock.now().getTime())
  if (settled !== 'done' && sealed.approval) await endVoid(stores.deliveries, clock, sealed.approval)
  requireOpen(settled)
  if (settled === 'ready') throw alreadyApproved()
}

// Another approval was faster, or the request ended: these values never leave the server.
async function endVoid(
  deliveries: DeliveryStore,
  clock: ClockAndIds,
  { tenant, deliveryId }: Approval,
): Promise<void> {
  await deliveries.void(tenant.id, { deliveryId, at: timestamp(clock), origin: null })
}

async function findPending(parts: ApprovalParts, requestId: string): Promise<ApprovalRequest> {
  const { request, status } = await findOpen(parts, requestId)
  if (status === 'ready') throw alreadyApproved()
  return request
}

// A code that is given is checked even where none is required: an approver who types one expects it to count.
async function requireUserCode(
  parts: ApprovalParts,
  request: ApprovalRequest,
  typed?: string,
): Promise<void> {
  if (typed === undefined || typed === '') {
    if (parts.assurance === 'compat') return
    throw new DomainError('invalid', 'user_code required', { details: { field: 'user_code' } })
  }
  if (normalizeUserCode(typed) === userCodeOf(request)) return
  const now = parts.clock.now().getTime()
  const attemptsLeft = await parts.requests.countWrongCode(request.id, ATTEMPTS.wrongUserCodes, now)
  const details = { field: 'user_code', attempts_left: attemptsLeft }
  throw new DomainError('invalid', 'user_code does not match', { details })
}

function named({ id, name }: { id: string; name: string }): Approval['bundle'] {
  return { id, name }
}

function maskedItem(entry: BundleEntry) {
  const { name, key_name, is_secret, description, required, templateParts, composition } = entry
  const item = { key: name, key_name, value: MASK, is_secret, description, required }
  if (templateParts === null) return item
  return { ...item, built_from: [...templateParts], missing_parts: [...(composition?.missing ?? [])] }
}
