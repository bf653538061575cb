import type { Bundle as BundleSchema, CreateBundle, UpdateBundle } from '@keyferry/contract'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import { chunksOf, type Listing, type Page, type Slice } from '../base/listing.ts'
import { firstStamp, type Stamp } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { reaches } from '../people/reach.ts'
import type { BundleRights } from './value-rights.ts'

/*
 * A bundle is a named set of keys that a program needs. Its name is unique within the tenant. Every member reads and
 * creates bundles; owners change any bundle, members those that value-rights.ts allows; owners delete. Deleting a
 * bundle leaves its keys in the library. A bundle of another tenant answers "not found", as an unknown one does.
 */

/** `updated_by_name` is a username; `key_count` counts attached keys, not legacy items. */
export type Bundle = Omit<z.output<typeof BundleSchema>, keyof BundleMay>
export type BundleMay = Pick<z.output<typeof BundleSchema>, 'may_edit' | 'may_duplicate'>

/** A bundle as one person sees it. */
export type SeenBundle = Bundle & BundleMay
export type NewBundle = Omit<Bundle, 'updated_by_name' | 'key_count'>
export type BundleDraft = z.output<typeof CreateBundle>
export type BundleChange = z.output<typeof UpdateBundle>

/** `query`: part of the name in any case; `tag`: one whole tag; `ids`: of these only. */
export type BundleFilter = {
  query?: string | undefined
  tag?: string | undefined
  ids?: readonly string[] | undefined
}

/** `bundle`: an id or a name. `workspace`: a tenant's id or name; null means any. */
export type BundleSuggestion = { bundle: string; workspace: string | null }

export type BundleOfTenant = { bundle: { id: string; name: string }; workspace: { id: string; name: string } }

/** Keys, and the bundles that they may be taken out of. */
export type Taken = { bundleIds: readonly string[]; keyIds: readonly string[] }

export interface BundleStore {
  /** False when the tenant has a bundle of this name. */
  insert(bundle: NewBundle, stamp: Stamp): Promise<boolean>
  /** @param editor who must be allowed to edit the bundle under its new name too
   * @throws DomainError not_found · conflict: the name is taken · changed · forbidden */
  update(change: BundleChange & { bundleId: string }, stamp: Stamp, editor: Caller): Promise<void>
  find(tenantId: string, bundleId: string): Promise<Bundle | null>
  /** By the bundle's id; leaves out bundles that the tenant does not have.
   * @param known the bundles, where the caller has them */
  rights(
    tenantId: string,
    bundleIds: readonly string[],
    known?: readonly Bundle[],
  ): Promise<ReadonlyMap<string, BundleRights>>
  /** Those of the keys that are secret and in one of the bundles, and in another bundle too. */
  sharedSecrets(tenantId: string, taken: Taken): Promise<{ bundle_id: string; key_id: string }[]>
  /** By name, byte by byte. */
  list(tenantId: string, filter: BundleFilter, slice: Slice): Promise<Bundle[]>
  count(tenantId: string, filter: BundleFilter): Promise<number>
  /** Whether any program may get the values of a bundle, without an approval. */
  isGiven(tenantId: string, bundleId: string): Promise<boolean>
  /** Bundles of all tenants of a user, by workspace name and bundle name.
   * @param userId null: of anybody, where there is one person */
  findSuggested(userId: string | null, suggestion: BundleSuggestion): Promise<BundleOfTenant[]>
  findNamed(
    tenantId: string,
    names: readonly string[],
  ): Promise<Pick<Bundle, 'id' | 'name' | 'tags' | 'production'>[]>
  /** The bundle goes with its attachments and legacy items; its keys stay in the library.
   * @throws DomainError not_found */
  delete(bundleId: string, stamp: Stamp): Promise<void>
}

/** A bundle as it is stored first. */
export function newBundle(
  { name, description, tags }: BundleDraft,
  { id, stamp }: { id: string; stamp: Stamp },
): NewBundle {
  const given = { name, description, tags: normalTags(tags) }
  return { id, tenant_id: stamp.tenantId, ...given, production: 'by_name', ...firstStamp(stamp) }
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

const PATTERNS_SHOWN = 5

/** Of a name outside of the caller's reach, the answer is the same whether a bundle has it or not.
 * @throws DomainError not_found */
export function requireReached({ reach }: Pick<Caller, 'reach'>, bundleName: string): void {
  if (reach === null || reaches(reach, bundleName)) return
  const { patterns } = reach
  const seen = patterns.slice(0, PATTERNS_SHOWN).join(', ')
  const more = patterns.length > PATTERNS_SHOWN ? ', …' : ''
  throw new DomainError('not_found', `You see only ${seen}${more} in this workspace: choose a name that fits`)
}

export function bundleNotFound(): DomainError {
  return new DomainError('not_found', 'bundle not found')
}

export function bundleNameTaken(): DomainError {
  return new DomainError('conflict', 'bundle with this name already exists')
}

export function normalTags(tags: string): string {
  const parts = tags.split(',').map((tag) => tag.trim())
  return [...new Set(parts.filter((tag) => tag !== ''))].join(',')
}
