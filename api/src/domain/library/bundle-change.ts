import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { readBack } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import {
  type BundleChange,
  type BundleDraft,
  type BundleStore,
  bundleNameTaken,
  newBundle,
  normalTags,
  requireReached,
  type SeenBundle,
} from './bundle.ts'
import { requireBundleEditor, seeBundle } from './bundle-rights.ts'

/** @throws DomainError conflict: the tenant has a bundle of this name · not_found: the name is out of reach */
export async function createBundle(
  bundles: BundleStore,
  caller: Caller,
  { draft, clock }: { draft: BundleDraft; clock: ClockAndIds },
): Promise<SeenBundle> {
  requireReached(caller, draft.name)
  const stamp = stampOf(caller, clock)
  const bundle = newBundle(draft, { id: clock.newId(), stamp })
  if (!(await bundles.insert(bundle, stamp))) throw bundleNameTaken()
  return readBack(seeBundle(bundles, { tenantId: caller.tenantId, bundleId: bundle.id }, caller))
}

/** Change a bundle; absent fields stay.
 * @throws DomainError not_found · forbidden (a member who did not create it) · conflict: the name is taken · changed */
export async function updateBundle(
  bundles: BundleStore,
  caller: Caller,
  { bundleId, change, clock }: { bundleId: string; change: BundleChange; clock: ClockAndIds },
): Promise<SeenBundle> {
  await requireBundleEditor(bundles, caller, bundleId)
  const tags = change.tags === undefined ? undefined : normalTags(change.tags)
  if (change.name !== undefined) requireReached(caller, change.name)
  await bundles.update({ ...change, tags, bundleId }, stampOf(caller, clock), caller)
  return readBack(seeBundle(bundles, { tenantId: caller.tenantId, bundleId: bundleId }, caller))
}
