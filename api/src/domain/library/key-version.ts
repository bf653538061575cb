import { type KeyVersionList, MASK } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import type { ListPage, WholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import { findKey, type KeyStore, type SeenKey } from './key.ts'

/*
 * Each new value of a key is its next version, counted from 1; the same value again is not. Replaced values are kept as
 * they were encrypted. To restore one makes its value the newest version, so the history is a line. Members may only
 * undo their own change. An owner may destroy a replaced value; who set it and when stays.
 *
 * No answer shows a value that is or was secret, also after its key was declared not secret. A value that was secret
 * comes back as a secret, so that restoring shows nothing either.
 */

/** `value`: null where it may not be shown, and for a destroyed value. `proposed_by`: to the owner who set it.
 * `changed_elsewhere_at`: as `value_changed_elsewhere_at` of a key. `holders`: how many were given this version
 * last. */
export type KeyVersion = Omit<z.output<typeof KeyVersionList>[number], 'value'> & { value: Plaintext | null }

/** `bundle`: null for a key that is in none. */
type Former = { name: string; bundle: string | null }

export type VersionChange = { keyId: string; version: number; stamp: Stamp }

export type RestoreChange = VersionChange & { editor: Caller; expectedVersion?: number | undefined }

export interface KeyVersionStore {
  /** Newest first, at most `limit` from `offset`.
   * @throws DomainError not_found */
  list(tenantId: string, keyId: string, page: WholePage): Promise<ListPage<KeyVersion>>
  /** Makes the value of an older version the next one.
   * @throws DomainError not_found (key or version) · version_conflict · forbidden (see `mayRestore`) ·
   *   version_destroyed */
  restore(tenantId: string, change: RestoreChange): Promise<void>
  /** Other keys that have the secret which one of these keys had before its last change, as bundles deliver them. */
  formerElsewhere(tenantId: string, keyIds: readonly string[]): Promise<Former[]>
  /** Destroys the value of an older version. A second time does nothing.
   * @throws DomainError not_found (key or version) · conflict (the current version) */
  destroy(tenantId: string, change: VersionChange): Promise<void>
}

/** The text that an answer shows for a version's value; null for a destroyed one. */
export function shownValue({ value, destroyed_at }: KeyVersion): string | null {
  if (destroyed_at !== null) return null
  return value === null ? MASK : value.reveal()
}

type Restoring = { keyId: string; version: number; expectedVersion?: number | undefined }

/** Make an older value the newest version.
 * @throws DomainError not_found (key or version) · version_conflict · forbidden · version_destroyed */
export async function restoreVersion(
  { keys, versions, clock }: { keys: KeyStore; versions: KeyVersionStore; clock: ClockAndIds },
  caller: Caller,
  restoring: Restoring,
): Promise<SeenKey> {
  await versions.restore(caller.tenantId, { ...restoring, editor: caller, stamp: stampOf(caller, clock) })
  return readBack(findKey(keys, caller, restoring.keyId))
}

/** Find where the old values of these keys are still in use. Only owners see it: they may see all values. */
export async function formerElsewhere(
  { keyVersions }: { keyVersions: KeyVersionStore },
  caller: Caller,
  keyIds: readonly string[],
): Promise<{ former_in?: Former[] }> {
  if (caller.role !== 'owner' || keyIds.length === 0) return {}
  return { former_in: await keyVersions.formerElsewhere(caller.tenantId, keyIds) }
}

export function versionIsCurrent(version: number): DomainError {
  return new DomainError('conflict', `version ${version} is the current value: set another value first`)
}

export function versionNotFound(version: number): DomainError {
  return new DomainError('not_found', `Key has no version ${version}`)
}

export function versionDestroyed(version: number): DomainError {
  return new DomainError('version_destroyed', `the value of version ${version} was destroyed`)
}
