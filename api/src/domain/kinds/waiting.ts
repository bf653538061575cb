import type { WaitingList } from '@keyferry/contract'
import type { z } from 'zod'
import { groundsOf } from '../approvals/approval-grounds.ts'
import { DELIVERY_REFUSALS, refusalOf } from '../approvals/approval-rules.ts'
import type { Caller } from '../people/membership.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import { type ApprovalParts, judgedDelivery } from './request-approval.ts'

/*
 * What waits for the decision of this person: requests that another person of the workspace supports and that the
 * rules let this person decide.
 */

type Item = z.input<typeof WaitingList>[number]

/** Newest first. */
export async function listWaiting(parts: ApprovalParts, caller: Caller): Promise<Item[]> {
  const nowMs = parts.clock.now().getTime()
  const ids = await parts.requests.waitingIn(caller.tenantId, nowMs)
  const found = await Promise.all(ids.map((id) => parts.requests.read(id, nowMs)))
  const items = await Promise.all(
    found.map((stored) => (typeof stored === 'string' ? null : itemOf(parts, caller, stored))),
  )
  return items.filter((item) => item !== null).toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

async function itemOf(
  parts: ApprovalParts,
  caller: Caller,
  { status, ...stored }: StoredRequest,
): Promise<Item | null> {
  const { first, request } = stored
  if (status !== 'pending' || first?.tenantId !== caller.tenantId) return null
  const bundle = await parts.stores.bundles.find(caller.tenantId, first.bundleId)
  if (bundle === null) return null
  const judged = judgedDelivery(parts, bundle, first.keys)
  const grounds = await groundsOf(parts, { caller, stored: { ...stored, status } }, judged)
  if (refusalOf(DELIVERY_REFUSALS, grounds) !== null) return null
  return {
    kind: 'second_approval',
    request_id: request.id,
    bundle: { id: bundle.id, name: bundle.name },
    key_count: first.keys.length,
    person: { kind: 'user', id: first.approverId, name: first.username },
    at: first.at,
    expires_at: new Date(stored.expiresAtMs).toISOString(),
  }
}
