import type { Bundle as BundleSchema, CreateBundle, UpdateBundle } from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import { chunksOf, type Listing, type Page, type Slice } from '../base/listing.ts'
import { firstStamp, type Stamp, stampOf } from '../base/stamp.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'
import { type BundleRights, mayEditBundle, requireRight } from './value-rights.ts'

/*
 * A bundle is a named set of keys that a program needs. Its name is unique within the tenant. Every member reads and
 * creates bundles; owners change any bundle, members those that value-rights.ts allows; owners delete. Deleting a
 * bundle leaves its keys in the library. A bundle of another tenant answers "not found", as an unknown one does.
 */

/** `updated_by_name` is a username; `key_count` counts attached keys, not legacy items. */
export type Bundle = z.output<typeof BundleSchema>
export type NewBundle = Omit<Bundle, 'updated_by_name' | 'key_count'>
export type BundleDraft = z.output<typeof CreateBundle>
export type BundleChange = z.output<typeof UpdateBundle>

/** `query`: part of the name in any case; `tag`: one whole tag; `grantedTo`: a machine's id. */
export type BundleFilter = {
  query?: string | undefined
  tag?: string | undefined
  grantedTo?: string | undefined
}

/** `bundle`: an id or a name. `workspace`: a tenant's id or name; null means any. */
export type BundleSuggestion = { bundle: string; workspace: string | null }

export type BundleOfTenant = { bundle: { id: string; name: string }; workspace: { id: string; name: string } }

export interface BundleStore {
  /** False when the tenant has a bundle of this name. */
  insert(bundle: NewBundle, stamp: Stamp): Promise<boolean>
  /** @throws DomainError not_found · conflict: the name is taken · changed */
  update(change: BundleChange & { bundleId: string }, stamp: Stamp): Promise<void>
  find(tenantId: string, bundleId: string): Promise<Bundle | null>
  /** Null: the tenant has no such bundle. */
  rights(tenantId: string, bundleId: string): Promise<BundleRights | null>
  /** The ids of the bundle's secret keys that other bundles hold too. */
  sharedSecrets(tenantId: string, bundleId: string): Promise<string[]>
  /** By name, byte by byte. */
  list(tenantId: string, filter: BundleFilter, slice: Slice): Promise<Bundle[]>
  count(tenantId: string, filter: BundleFilter): Promise<number>
  /** Bundles of all tenants of a user, by workspace name and bundle name. */
  findSuggested(userId: string, suggestion: BundleSuggestion): Promise<BundleOfTenant[]>
  findNamed(
    tenantId: string,
    names: readonly string[],
  ): Promise<Pick<Bundle, 'id' | 'name' | 'tags' | 'production'>[]>
  /** The bundle goes with its attachments and legacy items; its keys stay in the library.
   * @throws DomainError not_found */
  delete(bundleId: string, stamp: Stamp): Promise<void>
}

/** @throws DomainError conflict: the tenant has a bundle of this name */
export async function createBundle(
  bundles: BundleStore,
  caller: Caller,
  { draft, clock }: { draft: BundleDraft; clock: ClockAndIds },
): Promise<Bundle> {
  const stamp = stampOf(caller, clock)
  const bundle = newBundle(draft, { id: clock.newId(), stamp })
  if (!(await bundles.insert(bundle, stamp))) throw bundleNameTaken()
  return readBack(findBundle(bundles, caller, bundle.id))
}

/** A bundle as it is stored first. */
export function newBundle(
  { name, description, tags }: BundleDraft,
  { id, stamp }: { id: string; stamp: Stamp },
): NewBundle {
  const given = { name, description, tags: normalTags(tags) }
  return { id, tenant_id: stamp.tenantId, ...given, production: 'by_name', ...firstStamp(stamp) }
}

/** Change a bundle; absent fields stay.
 * @throws DomainError not_found · forbidden (a member who did not create it) · conflict: the name is taken · changed */
export async function updateBundle(
  bundles: BundleStore,
  caller: Caller,
  { bundleId, change, clock }: { bundleId: string; change: BundleChange; clock: ClockAndIds },
): Promise<Bundle> {
  await requireBundleEditor(bundles, caller, bundleId)
  const tags = change.tags === undefined ? undefined : normalTags(change.tags)
  await bundles.update({ ...change, tags, bundleId }, stampOf(caller, clock))
  return readBack(findBundle(bundles, caller, bundleId))
}

/** Owners change every bundle; members change those that value-rights.ts allows.
 * @throws DomainError not_found · forbidden */
export async function requireBundleEditor(
  bundles: BundleStore,
  caller: Caller,
  bundleId: string,
): Promise<void> {
  if (caller.role !== 'owner') requireRight(mayEditBundle(caller, await rightsOf(bundles, caller, bundleId)))
}

/** Whether the caller may take keys out of a bundle. Where the bundle sets rules, or an owner says that it is for
 * production, a secret that other bundles hold too would come free of them, so only an owner may.
 * @throws DomainError not_found · forbidden */
export async function requireMayLetGo(
  bundles: BundleStore,
  caller: Caller,
  { bundleId, keyIds }: { bundleId: string; keyIds: readonly string[] },
): Promise<void> {
  if (caller.role === 'owner') return
  const rights = await rightsOf(bundles, caller, bundleId)
  requireRight(mayEditBundle(caller, rights))
  if (!rights.isRuled) return
  const shared = new Set(await bundles.sharedSecrets(caller.tenantId, bundleId))
  if (keyIds.some((id) => shared.has(id))) throw ownerRequired()
}

async function rightsOf(bundles: BundleStore, { tenantId }: Caller, bundleId: string): Promise<BundleRights> {
  const rights = await bundles.rights(tenantId, bundleId)
  if (rights === null) throw bundleNotFound()
  return rights
}

/** @throws DomainError not_found, for another tenant's bundle too */
export async function findBundle(
  bundles: BundleStore,
  { tenantId }: Pick<Caller, 'tenantId'>,
  bundleId: string,
): Promise<Bundle> {
  const bundle = await bundles.find(tenantId, bundleId)
  if (!bundle) throw bundleNotFound()
  return bundle
}

export async function listBundles(
  bundles: BundleStore,
  { tenantId }: Pick<Caller, 'tenantId'>,
  { filter, page }: { filter: BundleFilter; page: Page },
): Promise<Listing<Bundle>> {
  const total = await bundles.count(tenantId, filter)
  return { total, chunks: chunksOf((slice) => bundles.list(tenantId, filter, slice), page) }
}

export function bundleNotFound(): DomainError {
  return new DomainError('not_found', 'bundle not found')
}

export function bundleNameTaken(): DomainError {
  return new DomainError('conflict', 'bundle with this name already exists')
}

function normalTags(tags: string): string {
  const parts = tags.split(',').map((tag) => tag.trim())
  return [...new Set(parts.filter((tag) => tag !== ''))].join(',')
}
