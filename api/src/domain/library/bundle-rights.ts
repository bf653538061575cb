import type { Caller } from '../people/membership.ts'
import {
  type Bundle,
  type BundleMay,
  type BundleStore,
  bundleNotFound,
  findBundle,
  type SeenBundle,
  type Taken,
} from './bundle.ts'
import { type BundleRights, mayDuplicate, mayEditBundle, requireRight } from './value-rights.ts'

/*
 * What a person may do with a bundle: refused by the calls that do it, and told with each bundle, so that pages offer
 * only what a call allows.
 */

/** Owners change every bundle; members change those that value-rights.ts allows.
 * @throws DomainError not_found · forbidden */
export async function requireBundleEditor(
  bundles: BundleStore,
  caller: Caller,
  bundleId: string,
): Promise<void> {
  if (caller.role === 'owner') return
  const rights = (await bundles.rights(caller.tenantId, [bundleId])).get(bundleId)
  if (rights === undefined) throw bundleNotFound()
  requireRight(mayEditBundle(caller, rights))
}

/** Whether the caller may take keys out of bundles. Where a bundle sets rules, or an owner says that it is for
 * production, a secret that other bundles contain too would come free of them, so only an owner may. The same
 * where bundles out of the caller's reach contain it.
 * @returns of a bundle and a key */
export async function takingOut(
  bundles: BundleStore,
  caller: Caller,
  taken: Taken,
): Promise<(bundleId: string, keyId: string) => boolean> {
  if (caller.role === 'owner') return () => true
  const found = await bundles.rights(caller.tenantId, taken.bundleIds)
  const edited = [...found].filter(([, rights]) => mayEditBundle(caller, rights))
  const bundleIds = edited.flatMap(([id, { isRuled }]) => (isRuled ? [id] : []))
  const shared = await bundles.sharedSecrets(caller.tenantId, { ...taken, bundleIds })
  const editable = new Set(edited.map(([id]) => id))
  const kept = new Set(shared.map(({ bundle_id, key_id }) => `${bundle_id} ${key_id}`))
  const isKept = (bundleId: string, keyId: string) =>
    kept.has(`${bundleId} ${keyId}`) || found.get(bundleId)?.sharedOutside.has(keyId)
  return (bundleId, keyId) => editable.has(bundleId) && !isKept(bundleId, keyId)
}

/** @throws DomainError not_found · forbidden */
export async function requireMayLetGo(
  bundles: BundleStore,
  caller: Caller,
  { bundleId, keyIds }: { bundleId: string; keyIds: readonly string[] },
): Promise<void> {
  await requireBundleEditor(bundles, caller, bundleId)
  const mayTake = await takingOut(bundles, caller, { bundleIds: [bundleId], keyIds })
  requireRight(keyIds.every((id) => mayTake(bundleId, id)))
}

/** A bundle with what the caller may do with it.
 * @throws DomainError not_found, for another tenant's bundle too */
export async function seeBundle(
  bundles: BundleStore,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  caller: Caller | null,
): Promise<SeenBundle> {
  const bundle = await findBundle(bundles, { tenantId }, bundleId)
  const [seen] = await seenBy(bundles, caller, [bundle])
  return seen ?? { ...bundle, ...NOTHING }
}

const NOTHING: BundleMay = { may_edit: false, may_duplicate: false }

/** @param caller null: a program, which may only use a bundle */
async function seenBy(
  bundles: BundleStore,
  caller: Caller | null,
  found: readonly Bundle[],
): Promise<SeenBundle[]> {
  // Of an owner's rights nothing needs to be read.
  if (caller?.role === 'owner')
    return found.map((bundle) => ({ ...bundle, may_edit: true, may_duplicate: true }))
  const ids = found.map(({ id }) => id)
  const rights = caller && (await bundles.rights(caller.tenantId, ids, found))
  return found.map((bundle) => {
    const right = rights?.get(bundle.id)
    return { ...bundle, ...(caller && right ? mayOf(caller, right) : NOTHING) }
  })
}

function mayOf(caller: Caller, rights: BundleRights): BundleMay {
  return {
    may_edit: mayEditBundle(caller, rights),
    may_duplicate: mayDuplicate(caller, rights),
  }
}

/** The same of a list. */
export async function* allSeenBy(
  bundles: BundleStore,
  caller: Caller | null,
  chunks: AsyncIterable<readonly Bundle[]>,
): AsyncGenerator<readonly SeenBundle[]> {
  for await (const found of chunks) yield seenBy(bundles, caller, found)
}
