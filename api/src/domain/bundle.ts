import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import { chunksOf, type Listing, type Page, type Slice } from './listing.ts'
import type { Caller } from './membership.ts'

export type Bundle = {
  id: string
  tenant_id: string
  name: string
  description: string
  tags: string
  created_by: string
  created_at: string
  updated_at: string
}

export type BundleDraft = { name: string; description: string; tags: string }

/** `query`: part of the name in any case; `tag`: one whole tag. */
export type BundleFilter = { query?: string | undefined; tag?: string | undefined }

/** `bundle`: an id or a name. `workspace`: a tenant's id or name; null means any. */
export type BundleSuggestion = { bundle: string; workspace: string | null }

export type BundleOfTenant = { bundle: { id: string; name: string }; workspace: { id: string; name: string } }

export interface BundleStore {
  /** False when the tenant has a bundle of this name. */
  insert(bundle: Bundle): Promise<boolean>
  find(tenantId: string, bundleId: string): Promise<Bundle | null>
  /** By name, byte by byte. */
  list(tenantId: string, filter: BundleFilter, slice: Slice): Promise<Bundle[]>
  count(tenantId: string, filter: BundleFilter): Promise<number>
  /** Bundles of all tenants of a user, by workspace name and bundle name. */
  findSuggested(userId: string, suggestion: BundleSuggestion): Promise<BundleOfTenant[]>
  delete(tenantId: string, bundleId: string): Promise<boolean>
}

/** @throws DomainError conflict: the tenant has a bundle of this name */
export async function createBundle(
  bundles: BundleStore,
  caller: Caller,
  { draft, clock }: { draft: BundleDraft; clock: ClockAndIds },
): Promise<Bundle> {
  const now = timestamp(clock)
  const bundle = {
    ...draft,
    id: clock.newId(),
    tenant_id: caller.tenantId,
    tags: normalTags(draft.tags),
    created_by: caller.userId,
    created_at: now,
    updated_at: now,
  }
  if (!(await bundles.insert(bundle))) {
    throw new DomainError('conflict', 'bundle with this name already exists')
  }
  return bundle
}

/** @throws DomainError not_found, for another tenant's bundle too */
export async function findBundle(bundles: BundleStore, caller: Caller, bundleId: string): Promise<Bundle> {
  const bundle = await bundles.find(caller.tenantId, bundleId)
  if (!bundle) throw bundleNotFound()
  return bundle
}

export async function listBundles(
  bundles: BundleStore,
  { tenantId }: Caller,
  { filter, page }: { filter: BundleFilter; page: Page },
): Promise<Listing<Bundle>> {
  const total = await bundles.count(tenantId, filter)
  return { total, chunks: chunksOf((slice) => bundles.list(tenantId, filter, slice), page) }
}

/** The bundle goes with its attachments and legacy items; its keys stay in the library.
 * @throws DomainError not_found */
export async function deleteBundle(bundles: BundleStore, caller: Caller, bundleId: string): Promise<void> {
  if (!(await bundles.delete(caller.tenantId, bundleId))) throw bundleNotFound()
}

export function bundleNotFound(): DomainError {
  return new DomainError('not_found', 'bundle not found')
}

function normalTags(tags: string): string {
  const parts = tags.split(',').map((tag) => tag.trim())
  return [...new Set(parts.filter((tag) => tag !== ''))].join(',')
}
