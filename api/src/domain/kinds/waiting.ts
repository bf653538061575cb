import type { WaitingList } from '@keyferry/contract'
import type { z } from 'zod'
import { groundsOf, type RuleParts } from '../approvals/approval-grounds.ts'
import { DELIVERY_REFUSALS, refusalOf } from '../approvals/approval-rules.ts'
import { notingRules } from '../approvals/noting-rules.ts'
import type { ValueRules } from '../approvals/policy.ts'
import { rulesOfNames, rulesOfValues } from '../approvals/value-rules.ts'
import type { Bundle, BundleStore } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import type { RequestStore } from '../requests/request-store.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import { listProposals, type ProposalParts } from '../transfer/proposal.ts'
import { judgedDelivery, placeOf } from './request-approval.ts'

/*
 * What waits for the decision of this person: requests that another person of the workspace supports and that the
 * rules let this person decide.
 */

type WaitingParts = RuleParts &
  ProposalParts & {
    stores: Parameters<typeof rulesOfValues>[0] & { bundles: Pick<BundleStore, 'find'> }
    requests: Pick<RequestStore, 'waitingIn'>
  }

type Item = z.input<typeof WaitingList>[number]

/** Newest first. */
export async function listWaiting(given: WaitingParts, caller: Caller): Promise<Item[]> {
  const { policies } = notingRules(given.stores.policies)
  const parts = { ...given, stores: { ...given.stores, policies } }
  const bundles = bundlesRead(parts, caller)
  const items: Item[] = []
  const waiting = await parts.requests.waitingIn(caller.tenantId, parts.clock.now().getTime())
  for (const stored of waiting) {
    const item = await itemOf(parts, { caller, bundles }, stored)
    if (item !== null) items.push(item)
  }
  items.push(...(await proposalsFor(parts, caller)))
  return items.toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

type RuledBundle = { bundle: Bundle; rulesOf: (names: readonly string[]) => Promise<readonly ValueRules[]> }

// Many requests can wait for the values of one bundle, so each bundle is read once, and the rules of each value.
function bundlesRead({ stores }: WaitingParts, { tenantId }: Caller) {
  const known = new Map<string, Promise<RuledBundle | null>>()
  const read = async (bundleId: string): Promise<RuledBundle | null> => {
    const bundle = await stores.bundles.find(tenantId, bundleId)
    return bundle && { bundle, rulesOf: rulesRead(stores, bundle) }
  }
  return (bundleId: string): Promise<RuledBundle | null> => {
    const found = known.get(bundleId) ?? read(bundleId)
    known.set(bundleId, found)
    return found
  }
}

function rulesRead(stores: WaitingParts['stores'], bundle: Bundle): RuledBundle['rulesOf'] {
  const known = new Set<string>()
  const rules: ValueRules[] = []
  return async (names) => {
    const others = names.filter((name) => !known.has(name))
    if (others.length > 0) rules.push(...(await rulesOfValues(stores, placeOf(bundle), others)))
    for (const name of others) known.add(name)
    return rulesOfNames(rules, new Set(names))
  }
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
  parts: WaitingParts,
  { caller, bundles }: { caller: Caller; bundles: ReturnType<typeof bundlesRead> },
  stored: StoredRequest,
): Promise<Item | null> {
  if (stored.status !== 'open') return null
  const { first, vouch, request } = stored
  const support = first ?? vouch
  if (support?.tenantId !== caller.tenantId) return null
  const found = await bundles(support.bundleId)
  if (found === null) return null
  const { bundle, rulesOf } = found
  const judged = {
    ...judgedDelivery(parts, bundle, support.keys),
    rulesOfValues: () => rulesOf(support.keys),
  }
  const grounds = await groundsOf(parts, { caller, stored }, judged)
  if (refusalOf(DELIVERY_REFUSALS, grounds) !== null || (first === null && grounds.vouch === null))
    return null
  return {
    kind: first === null ? 'request' : 'second_approval',
    request_id: request.id,
    bundle: { id: bundle.id, name: bundle.name },
    key_count: support.keys.length,
    person: { kind: 'user', id: support.userId, name: support.username },
    at: support.at,
    expires_at: new Date(stored.expiresAtMs).toISOString(),
  }
}
