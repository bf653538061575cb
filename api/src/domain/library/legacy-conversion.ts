import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { bundleNotFound } from './bundle.ts'
import { findKey, type KeyStore, keyNameTaken, keyNotFound, type SeenKey } from './key.ts'
import type { LegacyItemStore } from './legacy-item.ts'

/*
 * A conversion replaces a legacy item by a library key of the same name, value and mark, at the end of the same
 * bundle. It is refused when the library has a key of that name, because two values for one name cannot both win.
 */

/** Replace a legacy item by a library key.
 * @throws DomainError not_found: bundle or item · conflict: the library has a key of this name ·
 *   name_taken: the bundle delivers a library key under this name */
export async function convertLegacyItem(
  stores: { legacyItems: LegacyItemStore; keys: KeyStore },
  caller: Caller,
  { bundleId, name, clock }: { bundleId: string; name: string; clock: ClockAndIds },
): Promise<SeenKey> {
  const keyId = clock.newId()
  const place = { tenantId: caller.tenantId, bundleId }
  const outcome = await stores.legacyItems.convert(place, name, { keyId, stamp: stampOf(caller, clock) })
  if (outcome === 'no_bundle') throw bundleNotFound()
  if (outcome === 'no_item') throw keyNotFound()
  if (outcome === 'taken') throw keyNameTaken()
  if (outcome === 'hidden') {
    const message = `the bundle delivers a library key as ${name}: delete this item, or detach that key before you convert it`
    throw new DomainError('name_taken', message, { details: { names: [name] } })
  }
  return readBack(findKey(stores.keys, caller, keyId))
}
