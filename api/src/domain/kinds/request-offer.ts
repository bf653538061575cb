import { isProduction, MASK, type RequestBundle, type WhyNotCode } from '@keyferry/contract'
import type { z } from 'zod'
import { groundsOf, type OpenCall, otherApprovers } from '../approvals/approval-grounds.ts'
import {
  DELIVERY_REFUSALS,
  type Grounds,
  mayAskOthers,
  mayBeLater,
  mayRememberRepository,
  type Refusal,
  rememberHours,
  shownRules,
} from '../approvals/approval-rules.ts'
import type { GrantStore } from '../approvals/grant.ts'
import { notingRules } from '../approvals/noting-rules.ts'
import { namesTightened, rulesOfNames, rulesOfValues } from '../approvals/value-rules.ts'
import type { Listing } from '../base/listing.ts'
import { mapInTurns } from '../base/turns.ts'
import { type Bundle, type BundleOfTenant, findBundle, listBundles } from '../library/bundle.ts'
import {
  type BundleEntry,
  bundleEntries,
  type ValueOrigin,
  type ValueOriginStore,
} from '../library/bundle-entry.ts'
import { dueOf } from '../library/key-lifetime.ts'
import type { MemberStore } from '../people/member.ts'
import type { Caller, Visitor } from '../people/membership.ts'
import { findOpen } from '../requests/request.ts'
import { isFree, type Support, type Vouch } from '../requests/stored-request.ts'
import { changedSince, type LastApprovalStore } from './last-approval.ts'
import { isKnown } from './later-approval.ts'
import { type ApprovalParts, placeOf } from './request-approval.ts'
import { offeredTask } from './task.ts'
import { typeableNames } from './typed-values.ts'

/*
 * What an approver sees before the click: the bundles to choose from, a bundle's entries with masks for values, and
 * what its rules demand of this approval.
 */

/** How many people the page names who may approve instead. */
const NAMED = 10

type ValuesOfferParts = ApprovalParts & {
  stores: {
    grants: GrantStore
    members: MemberStore
    valueOrigins: ValueOriginStore
    lastApprovals: LastApprovalStore
  }
}

/** The bundles that the approver can choose from.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function listOfferedBundles(
  parts: ValuesOfferParts,
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
  parts: ValuesOfferParts,
  { userId }: Visitor,
  requestId: string,
): Promise<BundleOfTenant[]> {
  const { request } = await findOpen(parts, requestId)
  if (request.suggestedBundle === null) return []
  const suggestion = { bundle: request.suggestedBundle, workspace: request.suggestedWorkspace }
  return parts.stores.bundles.findSuggested(userId, suggestion)
}

/** A bundle's entries for the approver, every value masked, and what an approval of it takes.
 * @param names those that would be chosen; undefined: those that a person vouches for, or that the client
 *   asked for, or all
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired */
export async function offeredBundle(
  parts: ValuesOfferParts,
  caller: Caller,
  {
    requestId,
    bundleId,
    names,
  }: { requestId: string; bundleId: string; names: readonly string[] | undefined },
): Promise<z.output<typeof RequestBundle>> {
  const stored = await findOpen(parts, requestId)
  const bundle = await findBundle(parts.stores.bundles, caller, bundleId)
  const place = placeOf(bundle)
  const { userId } = caller
  const [entries, origins, last] = await Promise.all([
    bundleEntries(parts.stores, place, 'none'),
    parts.stores.valueOrigins.of(place.tenantId, place.bundleId),
    parts.stores.lastApprovals.of(place.tenantId, { userId, bundleId: place.bundleId }),
  ])
  const changed = changedSince(last, entries, (name) => origins.get(name)?.changed_at)
  const asked = vouchFor({ caller, stored }, bundle)?.keys ?? stored.request.templateKeys
  const all = entries.map(({ name }) => name)
  const chosen = new Set(names ?? (asked.length > 0 ? asked : all))
  const asking = { caller, stored }
  const { demands, grounds, stricter: tightened } = await demandsOf(parts, asking, { bundle, all, chosen })
  const mayType = await typeableNames(parts, { asking, grounds, bundle }, all)
  const stricter = new Set(tightened)
  const now = parts.clock.now()
  return {
    id: bundle.id,
    name: bundle.name,
    description: bundle.description,
    items: await mapInTurns(entries, (entry) => ({
      ...maskedItem(entry, origins.get(entry.name)),
      due: dueOf(entry, now),
      stricter: stricter.has(entry.name),
      changed: changed.has(entry.name),
    })),
    is_production: isProduction(bundle),
    last_approved_at: last?.at ?? null,
    ...demands,
    ...(mayType && { may_type: mayType }),
  }
}

type NameChoice = { bundle: Bundle; all: readonly string[]; chosen: ReadonlySet<string> }

/** What the rules demand of the chosen names, and the names for which another bundle demands more than this one. */
async function demandsOf(given: ValuesOfferParts, asking: OpenCall, { bundle, all, chosen }: NameChoice) {
  const { policies } = notingRules(given.stores.policies)
  const parts = { ...given, stores: { ...given.stores, policies } }
  const ofValues = await rulesOfValues(parts.stores, placeOf(bundle), all)
  const grounds = await groundsOf(parts, asking, {
    places: [bundle],
    people: 'as the rules',
    rulesOfValues: async () => rulesOfNames(ofValues, chosen),
    keys: [...chosen],
  })
  const { policy, own, first, caller } = grounds
  const rules = shownRules(DELIVERY_REFUSALS, grounds)
  const others = await othersFor(parts, grounds, { refusal: rules.why_not, bundle })
  const isLater = async () =>
    mayBeLater(grounds, { ...parts, bundle }) && (await isKnown(parts, grounds.request, asking.caller))
  const set = await policies.find(caller.tenantId, bundle.id)
  const keys = [...chosen]
  const task = rules.may_approve
    ? await offeredTask(parts, grounds, { bundle, set, ofValues: rulesOfNames(ofValues, chosen), keys })
    : undefined
  const demands = {
    ...rules,
    why_not: rules.why_not && others ? { ...rules.why_not, who: others.slice(0, NAMED) } : rules.why_not,
    may_vouch: isFree(asking.stored) && mayAskOthers(grounds, others ?? []),
    vouch: await shownVouch(parts, asking, { bundle, counted: grounds.vouch }),
    approvals_needed: policy.approvals_needed,
    first_approval: first && presentFirst(first),
    remember_hours: rememberHours(grounds, parts.isLocal),
    ...(mayRememberRepository(grounds.request, bundle) ? { remember_repository: true as const } : {}),
    ...((await isLater()) ? { may_be_later: true as const } : {}),
    remember_needs_loopback: !parts.isLocal,
    ...(task && { task }),
  }
  return { demands, grounds, stricter: namesTightened(ofValues, own) }
}

const OTHERS_MAY: ReadonlySet<WhyNotCode> = new Set(['owner_approves', 'named_approves', 'second_person'])

// Names of those who may approve what this person may not.
async function othersFor(
  { stores }: ValuesOfferParts,
  { caller, policy }: Grounds,
  { refusal, bundle }: { refusal: Refusal | null; bundle: Bundle },
) {
  if (refusal === null || !OTHERS_MAY.has(refusal.code)) return null
  return await otherApprovers(stores.memberships, caller, { policy, names: [bundle.name] })
}

// The person as the server knows them, for people of the same workspace.
async function shownVouch(
  { stores }: ValuesOfferParts,
  asking: OpenCall,
  { bundle, counted }: { bundle: Bundle; counted: Vouch | null },
) {
  const vouch = vouchFor(asking, bundle)
  if (vouch === null) return null
  const { userId, username, at, returned, keys, isNewNetwork } = vouch
  const members = await stores.members.list(vouch.tenantId)
  const member = members.find(({ user_id }) => user_id === userId)
  return {
    person: { kind: 'user', id: userId, name: username } as const,
    email: member?.email ?? null,
    member_since: member?.created_at ?? null,
    is_new_network: isNewNetwork,
    at,
    keys,
    returned_by: returned,
    counts: counted !== null,
  }
}

function vouchFor({ caller, stored: { vouch } }: OpenCall, bundle: Bundle) {
  if (vouch === null || vouch.returned === null) return null
  const isHere = vouch.tenantId === caller.tenantId && vouch.bundleId === bundle.id
  return isHere ? { ...vouch, returned: vouch.returned } : null
}

function presentFirst({ userId, username, at, keys, returned }: Support) {
  const person = { kind: 'user', id: userId, name: username } as const
  return { person, at, keys, returned: returned !== null }
}

function maskedItem(entry: BundleEntry, origin: ValueOrigin | undefined) {
  const { name, key_name, is_secret, description, required, version } = entry
  const { templateParts, composition } = entry
  const { changed_at = null, changed_by = null } = origin ?? {}
  const about = { is_secret, description, required, version, changed_at, changed_by }
  const item = { key: name, key_name, value: MASK, ...about }
  if (templateParts === null) return item
  return { ...item, built_from: [...templateParts], missing_parts: [...(composition?.missing ?? [])] }
}
