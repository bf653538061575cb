import type { NamesOffer } from '@keyferry/contract'
import type { z } from 'zod'
import {
  type ApprovalScope,
  groundsOf,
  type OpenCall,
  policiesOf,
  type RuleParts,
} from '../approvals/approval-grounds.ts'
import {
  type Grounds,
  notNamed,
  type RefusalTexts,
  refusalOf,
  shownRules,
} from '../approvals/approval-rules.ts'
import { findUndecided } from '../approvals/decision.ts'
import { UNNAMED } from '../approvals/policy.ts'
import { DomainError } from '../base/errors.ts'
import { mapInTurns } from '../base/turns.ts'
import { type Bundle, type BundleStore, findBundle, listBundles } from '../library/bundle.ts'
import { bundleEntries, type EntryStores } from '../library/bundle-entry.ts'
import type { Caller } from '../people/membership.ts'
import type { RequestParts } from '../requests/request.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'

/*
 * What a request for names may give to the terminal: the names that a bundle delivers. If the request names no bundle,
 * it is the bundles of a workspace. It reads no value. The rules of a bundle about owners, AI agents and the return to
 * the terminal apply as for its values.
 */

export type NamesOfferParts = RequestParts & RuleParts & { stores: EntryStores & { bundles: BundleStore } }

type NamesList = Pick<z.output<typeof NamesOffer>, 'bundle' | 'names' | 'bundles' | 'left_out'>

/** One approval is enough, because every member may read names. */
export type OfferedNames = ApprovalScope & { listed: NamesList }

/** What a refusal says of a request for names. */
export const NAMES_REFUSALS: RefusalTexts = {
  owner_approves: 'Only an owner may approve this list',
  named_approves: notNamed,
  agents_denied: 'AI agents may not list these names',
  release_required:
    'These names are listed only if the approval returns to the terminal: run the command on this computer, without --no-open',
  second_person: 'Another person must approve this list',
}

/** What the approver sees before the click.
 * @param bundleId of the bundle whose names are listed; undefined: the bundles of the workspace
 * @throws DomainError as `findUndecided` · not_found (the bundle) · conflict (another kind of request) · invalid (a
 *   bundle where none was asked for, or none where one was) */
export async function offerNames(
  parts: NamesOfferParts,
  caller: Caller,
  { requestId, bundleId }: { requestId: string; bundleId: string | undefined },
): Promise<z.input<typeof NamesOffer>> {
  const asking = { caller, stored: await findUndecided(parts, requestId) }
  const offered = await offeredNames(parts, asking, bundleId)
  return { ...offered.listed, ...shownRules(NAMES_REFUSALS, await groundsOf(parts, asking, offered)) }
}

/** @throws DomainError as `offerNames` */
export async function offeredNames(
  parts: NamesOfferParts,
  asking: OpenCall,
  bundleId: string | undefined,
): Promise<OfferedNames> {
  const { request } = asking.stored
  if (request.kind !== 'names') throw new DomainError('conflict', 'This request is not for names')
  requireAsked(request, bundleId)
  return bundleId === undefined ? await bundlesFor(parts, asking) : await namesOf(parts, asking, bundleId)
}

function requireAsked({ suggestedBundle }: ApprovalRequest, bundleId: string | undefined): void {
  if ((suggestedBundle === null) === (bundleId === undefined)) return
  const wrong =
    bundleId === undefined ? 'bundle_id required' : 'this request is for a list of bundles: omit bundle_id'
  throw new DomainError('invalid', wrong, { details: { field: 'bundle_id' } })
}

async function namesOf(
  { stores }: NamesOfferParts,
  { caller }: OpenCall,
  bundleId: string,
): Promise<OfferedNames> {
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const entries = await bundleEntries(stores, place, 'none')
  const names = entries.map(({ name, is_secret, required }) => ({ name, is_secret, required }))
  const listed = { bundle: { id: bundle.id, name: bundle.name }, names, bundles: [], left_out: 0 }
  return { listed, places: [bundle], people: 1 }
}

// Omits bundles whose rules do not allow this terminal or this approver, so that the others can be listed. The
// workspace's rules apply even if no bundle is left.
async function bundlesFor(
  parts: NamesOfferParts,
  { caller, stored: { request } }: OpenCall,
): Promise<OfferedNames> {
  const bundles = await allBundles(parts.stores.bundles, caller)
  const policies = await policiesOf(parts, caller.tenantId, bundles)
  const about = { request, caller, first: null, returned: null, vouch: null, isAlone: false, ofValues: [] }
  const isOpen = (policy: Grounds['policy']) =>
    refusalOf(NAMES_REFUSALS, { ...about, policy, own: policy }) === null
  const areOpen = await mapInTurns(policies, isOpen)
  const open = bundles.filter((_, index) => areOpen[index])
  const shown = open.map(({ id, name, key_count }) => ({ id, name, key_count }))
  const listed = { bundle: null, names: [], bundles: shown, left_out: bundles.length - open.length }
  return { listed, places: [{ ...UNNAMED, id: null }, ...open], people: 1 }
}

async function allBundles(store: BundleStore, caller: Caller): Promise<Bundle[]> {
  const { chunks } = await listBundles(store, caller, { filter: {}, page: {} })
  const bundles: Bundle[] = []
  for await (const chunk of chunks) bundles.push(...chunk)
  return bundles
}
