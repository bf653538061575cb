import { type DuplicateBundle, MASK } from '@keyferry/contract'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, bundleNotFound, requireReached, type SeenBundle } from './bundle.ts'
import { seeBundle } from './bundle-rights.ts'
import { libraryNames } from './library-name.ts'
import { maskOverSecret } from './mask.ts'
import type { OwnCopy } from './split.ts'
import { mayDuplicate, requireRight } from './value-rights.ts'

/*
 * A duplicate of a bundle is the start of another environment. It shares the keys of the bundle, so a changed value
 * changes in both, except for keys of which it gets copies. Every member may duplicate a bundle that sets no rules.
 * A copy keeps its mark; with a new value it is secret unless the caller names it in `public`. Only owners may copy
 * keys, because who set a value may declare it not secret and read it.
 */

/** `own`: delivered names whose keys are copied; `public`: those of them that are not secret. `values` of copies, and
 * their library names, by delivered name. */
export type DuplicateDraft = z.output<typeof DuplicateBundle>

export type Duplicate = {
  of: string
  id: string
  name: string
  own: ReadonlySet<string>
  newCopy: (deliveredName: string) => OwnCopy
}

export interface DuplicateStore {
  /** Add a bundle with the description, tags and attached keys of another, all of it or nothing.
   * @throws DomainError not_found · conflict (a name is taken, no library name was free, or the bundle has legacy
   *   items) · invalid (a name in `own` that the bundle does not deliver) */
  duplicate(duplicate: Duplicate, stamp: Stamp): Promise<void>
}

/** @throws DomainError not_found · forbidden (a member who copies keys, or a bundle with rules) · invalid (a name that
 *   the bundle does not deliver, a shared one in `public`, a mask in place of a value, or a library name that is too
 *   long) · conflict (the bundle's name or a library name is taken, or the bundle has legacy items, which two bundles
 *   cannot share) */
export async function duplicateBundle(
  bundles: BundleStore & DuplicateStore,
  caller: Caller,
  { bundleId, draft, clock }: { bundleId: string; draft: DuplicateDraft; clock: ClockAndIds },
): Promise<SeenBundle> {
  requireReached(caller, draft.name)
  const values = new Map(Object.entries(draft.values))
  const own = new Set([...draft.own, ...values.keys()])
  const rights = (await bundles.rights(caller.tenantId, [bundleId])).get(bundleId)
  if (rights === undefined) throw bundleNotFound()
  requireRight(mayDuplicate(caller, rights) && (own.size === 0 || caller.role === 'owner'))
  const shown = new Set(draft.public)
  const notCopied = draft.public.filter((name) => !own.has(name))
  if (notCopied.length > 0) throw publicNotOwn(notCopied)
  for (const [name, value] of values) if (value === MASK) throw maskOverSecret(name)
  const id = clock.newId()
  const newCopy = (deliveredName: string) => ({
    keyId: clock.newId(),
    namesFor: (name: string) => namesFor(draft, name),
    is_secret: shown.has(deliveredName) ? false : values.has(deliveredName) || undefined,
    ...givenValue(values.get(deliveredName)),
  })
  const duplicate = { of: bundleId, id, name: draft.name, own, newCopy }
  await bundles.duplicate(duplicate, stampOf(caller, clock))
  return readBack(seeBundle(bundles, { tenantId: caller.tenantId, bundleId: id }, caller))
}

// A value that is given is what the duplicate delivers, also where the copied key is a template.
function givenValue(value: string | undefined): Pick<OwnCopy, 'value' | 'isTemplate'> {
  return value === undefined ? {} : { value: Plaintext.of(value), isTemplate: false }
}

function namesFor({ name: bundleName, key_names }: DuplicateDraft, name: string): Iterable<string> {
  const given = Object.hasOwn(key_names, name) ? key_names[name] : undefined
  return given === undefined ? libraryNames({ bundleName, name, field: 'key_names' }) : [given]
}

export function hasLegacyItems(): DomainError {
  return new DomainError('conflict', 'this bundle has inline items: convert them into keys first')
}

function publicNotOwn(names: readonly string[]): DomainError {
  const message = `public names keys that the duplicate shares, which keep their mark: ${names.join(', ')}`
  return new DomainError('invalid', message, { details: { field: 'public', names } })
}

export function ownNotDelivered(names: readonly string[]): DomainError {
  const message = `own names keys that the bundle does not deliver: ${names.join(', ')}`
  return new DomainError('invalid', message, { details: { field: 'own', names } })
}
