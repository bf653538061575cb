import type { Assurance, NamesOffer } from '@keyferry/contract'
import type { z } from 'zod'
import {
  type Grounds,
  mustReturn,
  mustTypeCode,
  type RefusalTexts,
  refusalIn,
  waysOf,
} from './approval-rules.ts'
import { findPending } from './approval-step.ts'
import { type Bundle, type BundleStore, findBundle, listBundles } from './bundle.ts'
import { bundleEntries, type EntryStores } from './bundle-entry.ts'
import { DomainError } from './errors.ts'
import type { Caller } from './membership.ts'
import { effectivePolicy, NO_RULES, type Policy, type PolicyStore, strictestPolicy } from './policy.ts'
import type { RequestParts } from './request.ts'
import type { ApprovalRequest } from './stored-request.ts'

/*
 * What a request for names may give to the terminal: the names that a bundle delivers. If the request names no bundle, it is the
 * bundles of a workspace. It reads no value. The rules of a bundle about owners, AI agents and the return to the terminal apply
 * as for its values. One approval is enough, because every member may read names.
 */

export type OfferParts = RequestParts & {
  stores: EntryStores & { bundles: BundleStore; policies: PolicyStore }
  /** What the server demands of every approval. */
  assurance: Assurance
}

type Listed = Pick<z.output<typeof NamesOffer>, 'bundle' | 'names' | 'bundles' | 'left_out'>

export type OfferedNames = { listed: Listed; grounds: Grounds }

/** What a refusal says of a request for names. */
export const NAMES_REFUSALS: RefusalTexts = {
  owner_approves: 'Only an owner may approve this list',
  agents_denied: 'AI agents may not list these names',
  release_required:
    'These names are listed only if the approval returns to the terminal: run the command on this computer, without --no-open',
  second_person: 'Another person must approve this list',
}

/** @param bundleId of the bundle whose names are listed; undefined: the bundles of the workspace
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · request_expired · conflict
 *   (approved already, or another kind of request) · invalid (a bundle where none was asked for, or none where one was) */
export async function offerNames(
  parts: OfferParts,
  caller: Caller,
  { requestId, bundleId }: { requestId: string; bundleId: string | undefined },
): Promise<OfferedNames> {
  const { request } = await findPending(parts, requestId)
  if (request.kind !== 'names') throw new DomainError('conflict', 'This request is not for names')
  requireAsked(request, bundleId)
  if (bundleId !== undefined) return await namesOf(parts, { caller, request }, bundleId)
  return await bundlesFor(parts, { caller, request })
}

function requireAsked({ suggestedBundle }: ApprovalRequest, bundleId: string | undefined): void {
  if ((suggestedBundle === null) === (bundleId === undefined)) return
  const wrong =
    bundleId === undefined ? 'bundle_id required' : 'this request is for a list of bundles: omit bundle_id'
  throw new DomainError('invalid', wrong, { details: { field: 'bundle_id' } })
}

type Asking = { caller: Caller; request: ApprovalRequest }

async function namesOf(
  { stores, assurance }: OfferParts,
  { caller, request }: Asking,
  bundleId: string,
): Promise<OfferedNames> {
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const [entries, set] = await Promise.all([
    bundleEntries(stores, place, 'none'),
    stores.policies.find(place.tenantId, place.bundleId),
  ])
  const names = entries.map(({ name, is_secret, required }) => ({ name, is_secret, required }))
  const listed = { bundle: { id: bundle.id, name: bundle.name }, names, bundles: [], left_out: 0 }
  return { listed, grounds: groundsOf({ caller, request }, [effectivePolicy(assurance, set, bundle)]) }
}

// Omits bundles whose rules do not allow this terminal or this approver, so that the others can be listed. The workspace's
// rules apply even if no bundle is left.
async function bundlesFor({ stores, assurance }: OfferParts, asking: Asking): Promise<OfferedNames> {
  const { tenantId } = asking.caller
  const rules = await stores.policies.findAll(tenantId)
  const policyOf = (bundle: Pick<Bundle, 'id' | 'name' | 'tags'>) =>
    effectivePolicy(
      assurance,
      { workspace: rules.workspace, bundle: rules.bundles.get(bundle.id) ?? NO_RULES },
      bundle,
    )
  const bundles = await allBundles(stores.bundles, asking.caller)
  const policies = new Map(bundles.map((bundle) => [bundle, policyOf(bundle)]))
  const isOpen = (policy: Policy) => refusalIn(NAMES_REFUSALS, groundsOf(asking, [policy])) === null
  const open = [...policies].filter(([, policy]) => isOpen(policy))
  const shown = open.map(([{ id, name, key_count }]) => ({ id, name, key_count }))
  const listed = { bundle: null, names: [], bundles: shown, left_out: bundles.length - open.length }
  const counted = [policyOf({ id: '', name: '', tags: '' }), ...open.map(([, policy]) => policy)]
  return { listed, grounds: groundsOf(asking, counted) }
}

async function allBundles(store: BundleStore, caller: Caller): Promise<Bundle[]> {
  const { chunks } = await listBundles(store, caller, { filter: {}, page: {} })
  const bundles: Bundle[] = []
  for await (const chunk of chunks) bundles.push(...chunk)
  return bundles
}

function groundsOf({ caller, request }: Asking, policies: readonly Policy[]): Grounds {
  return { policy: strictestPolicy(policies), request, caller, first: null, returned: null, isAlone: false }
}

/** What the approver sees. */
export function shownOffer({ listed, grounds }: OfferedNames): z.input<typeof NamesOffer> {
  const whyNot = refusalIn(NAMES_REFUSALS, grounds)
  return {
    ...listed,
    assurance: grounds.policy.assurance,
    may_approve: whyNot === null,
    why_not: whyNot,
    release: waysOf(grounds),
    release_required: mustReturn(grounds),
    user_code_required: mustTypeCode(grounds.policy, {}),
  }
}
