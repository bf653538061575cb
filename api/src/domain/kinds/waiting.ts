import type { WaitingList } from '@keyferry/contract'
import type { z } from 'zod'
import { groundsOf } from '../approvals/approval-grounds.ts'
import { DELIVERY_REFUSALS, refusalOf } from '../approvals/approval-rules.ts'
import { waitingRequests } from '../approvals/open-vouches.ts'
import type { Caller } from '../people/membership.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import { listProposals, type ProposalParts } from './proposal.ts'
import { type ApprovalParts, judgedDelivery } from './request-approval.ts'

/*
 * What waits for the decision of this person: requests that another person of the workspace supports and that the
 * rules let this person decide.
 */

type Item = z.input<typeof WaitingList>[number]

/** Newest first. */
export async function listWaiting(parts: ApprovalParts & ProposalParts, caller: Caller): Promise<Item[]> {
  const waiting = await waitingRequests(parts, caller.tenantId)
  const items = await Promise.all(waiting.map((stored) => itemOf(parts, caller, stored)))
  const all = [...items.filter((item) => item !== null), ...(await proposalsFor(parts, caller))]
  return all.toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

async function proposalsFor(parts: ProposalParts, caller: Caller): Promise<Item[]> {
  if (caller.role !== 'owner') return []
  const open = (await listProposals(parts, caller)).filter(({ state }) => state === 'open')
  return open.map((proposal) => {
    const { proposer: person, created_at: at } = proposal
    return { kind: 'proposal', proposal, person, at }
  })
}

async function itemOf(
  parts: ApprovalParts,
  caller: Caller,
  { status, ...stored }: StoredRequest,
): Promise<Item | null> {
  const { first, vouch, request } = stored
  const backer = first ?? vouch
  if (status !== 'pending' || backer?.tenantId !== caller.tenantId) return null
  const bundle = await parts.stores.bundles.find(caller.tenantId, backer.bundleId)
  if (bundle === null) return null
  const judged = judgedDelivery(parts, bundle, backer.keys)
  const grounds = await groundsOf(parts, { caller, stored: { ...stored, status } }, judged)
  if (refusalOf(DELIVERY_REFUSALS, grounds) !== null || (first === null && grounds.vouch === null))
    return null
  return {
    kind: first === null ? 'request' : 'second_approval',
    request_id: request.id,
    bundle: { id: bundle.id, name: bundle.name },
    key_count: backer.keys.length,
    person: { kind: 'user', id: backer.approverId, name: backer.username },
    at: backer.at,
    expires_at: new Date(stored.expiresAtMs).toISOString(),
  }
}
