import { type Bundle, type BundleStore, bundleNameTaken, bundleNotFound, findBundle } from './bundle.ts'
import type { ClockAndIds } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import { keyNameTaken } from './key.ts'
import { libraryNames } from './library-name.ts'
import { type Caller, ownerRequired } from './membership.ts'
import type { OwnCopy } from './split.ts'
import { type Stamp, stampOf } from './stamp.ts'

/*
 * A duplicate of a bundle is the start of another environment. It shares the keys of the bundle, so a changed value changes
 * in both, except for keys of which it gets copies. Every member duplicates; only owners copy keys, because whoever
 * creates a key may declare it not secret and read it.
 */

export type DuplicateDraft = {
  name: string
  /** Delivered names whose keys are copied. */
  own: readonly string[]
  /** Library names for copies, by delivered name. */
  key_names: Readonly<Record<string, string>>
}

export type Duplicate = {
  of: string
  id: string
  name: string
  stamp: Stamp
  own: ReadonlySet<string>
  newCopy: () => OwnCopy
}

export interface DuplicateStore {
  /** Add a bundle with the description, tags and attached keys of another, all of it or nothing.
   * @returns `key_name_taken`: no library name was free · `notDelivered`: names in `own` that the bundle does not deliver */
  duplicate(
    tenantId: string,
    duplicate: Duplicate,
  ): Promise<
    | 'duplicated'
    | 'absent'
    | 'name_taken'
    | 'key_name_taken'
    | 'has_legacy_items'
    | { notDelivered: readonly string[] }
  >
}

/** @throws DomainError not_found · forbidden (a member who copies keys) · invalid (a name that the bundle does not deliver,
 *   or a library name that is too long) · conflict (the bundle's name or a library name is taken, or the bundle has legacy
 *   items, which two bundles cannot share) */
export async function duplicateBundle(
  bundles: BundleStore & DuplicateStore,
  caller: Caller,
  { bundleId, draft, clock }: { bundleId: string; draft: DuplicateDraft; clock: ClockAndIds },
): Promise<Bundle> {
  if (draft.own.length > 0 && caller.role !== 'owner') throw ownerRequired()
  const id = clock.newId()
  const outcome = await bundles.duplicate(caller.tenantId, {
    of: bundleId,
    id,
    name: draft.name,
    stamp: stampOf(caller, clock),
    own: new Set(draft.own),
    newCopy: () => ({ keyId: clock.newId(), namesFor: (name) => namesFor(draft, name) }),
  })
  if (outcome !== 'duplicated') throw refusal(outcome)
  return findBundle(bundles, caller, id)
}

function namesFor({ name: bundleName, key_names }: DuplicateDraft, name: string): Iterable<string> {
  const given = Object.hasOwn(key_names, name) ? key_names[name] : undefined
  return given === undefined ? libraryNames({ bundleName, name, field: 'key_names' }) : [given]
}

type Refusal = Exclude<Awaited<ReturnType<DuplicateStore['duplicate']>>, 'duplicated'>

function refusal(outcome: Refusal): DomainError {
  if (outcome === 'absent') return bundleNotFound()
  if (outcome === 'name_taken') return bundleNameTaken()
  if (outcome === 'key_name_taken') return keyNameTaken()
  if (outcome === 'has_legacy_items')
    return new DomainError('conflict', 'this bundle has inline items: convert them into keys first')
  const names = outcome.notDelivered
  const message = `own names keys that the bundle does not deliver: ${names.join(', ')}`
  return new DomainError('invalid', message, { details: { field: 'own', names } })
}
