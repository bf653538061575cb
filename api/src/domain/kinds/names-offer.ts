import type { NamesOffer } from '@keyferry/contract'
import type { z } from 'zod'
import {
  type ApprovalScope,
  groundsOf,
  type OpenCall,
  type RuleParts,
} from '../approvals/approval-grounds.ts'
import { notNamed, type RefusalTexts, shownRules } from '../approvals/approval-rules.ts'
import { findUndecided } from '../approvals/decision.ts'
import { DomainError } from '../base/errors.ts'
import { type BundleStore, findBundle } from '../library/bundle.ts'
import { bundleEntries, type EntryStores } from '../library/bundle-entry.ts'
import type { Caller } from '../people/membership.ts'
import type { RequestParts } from '../requests/request.ts'

/*
 * What a request for names may give to the terminal: the names that a bundle delivers. It reads no value. The rules of
 * the bundle about owners, AI agents and the return to the terminal apply as for its values.
 */

export type NamesOfferParts = RequestParts & RuleParts & { stores: EntryStores & { bundles: BundleStore } }

/** One approval is enough, because every member may read names. */
export type OfferedNames = ApprovalScope & { listed: Pick<z.output<typeof NamesOffer>, 'bundle' | 'names'> }

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
 * @throws DomainError as `findUndecided` · not_found (the bundle) · conflict (another kind of request) */
export async function offerNames(
  parts: NamesOfferParts,
  caller: Caller,
  { requestId, bundleId }: { requestId: string; bundleId: string },
): Promise<z.input<typeof NamesOffer>> {
  const asking = { caller, stored: await findUndecided(parts, requestId) }
  const offered = await offeredNames(parts, asking, bundleId)
  return { ...offered.listed, ...shownRules(NAMES_REFUSALS, await groundsOf(parts, asking, offered)) }
}

/** @throws DomainError as `offerNames` */
export async function offeredNames(
  { stores }: NamesOfferParts,
  { caller, stored }: OpenCall,
  bundleId: string,
): Promise<OfferedNames> {
  if (stored.request.kind !== 'names') throw new DomainError('conflict', 'This request is not for names')
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const entries = await bundleEntries(stores, place, 'none')
  const names = entries.map(({ name, is_secret, required }) => ({ name, is_secret, required }))
  return { listed: { bundle: { id: bundle.id, name: bundle.name }, names }, places: [bundle], people: 1 }
}
