import { MASK } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import type { Listed, Page, WholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import {
  findKey,
  type KeyStore,
  keyNotFound,
  type Person,
  requireChanged,
  type SeenKey,
  type ValueHow,
  type VersionConflict,
} from './key.ts'

/*
 * Each new value of a key is its next version, counted from 1; the same value again is not. Replaced values are kept as
 * they were encrypted. To restore one makes its value the newest version, so the history is a line. An owner may
 * destroy a replaced value; who set it and when stays.
 *
 * No answer shows a value that is or was secret, also after its key was declared not secret. A value that was secret
 * comes back as a secret, so that restoring shows nothing either.
 */

export type KeyVersion = {
  version: number
  current: boolean
  /** Null where it may not be shown, and for a destroyed value. */
  value: Plaintext | null
  is_template: boolean
  set_at: string
  set_by: Person
  /** Who proposed it to the owner who set it. */
  proposed_by: Person | null
  /** As `value_changed_elsewhere_at` of a key. */
  changed_elsewhere_at: string | null
  how: ValueHow
  restored_from: number | null
  replaced_at: string | null
  destroyed_at: string | null
  /** How many were given this version last. */
  holders: number
}

export type VersionChange = { keyId: string; version: number; stamp: Stamp }

/** `destroyed`: the version has no value any more; `no_version`: the key never had it, or it is no longer kept. */
export type Restored = VersionConflict | { status: 'done' | 'absent' | 'no_version' | 'destroyed' }

export interface KeyVersionStore {
  /** Newest first, at most `limit` from `offset`; null when the tenant has no such key. */
  list(tenantId: string, keyId: string, page: WholePage): Promise<Listed<KeyVersion> | null>
  /** Makes the value of an older version the next one. */
  restore(
    tenantId: string,
    change: VersionChange & { expectedVersion?: number | undefined },
  ): Promise<Restored>
  /** `current`: refused, because it is the current version. */
  destroy(tenantId: string, change: VersionChange): Promise<'done' | 'absent' | 'no_version' | 'current'>
}

/** Versions in an answer that names no limit. */
const PAGE = 100

/** @throws DomainError not_found */
export async function listVersions(
  versions: KeyVersionStore,
  { tenantId }: Caller,
  { keyId, page: { limit = PAGE, offset = 0 } }: { keyId: string; page: Page },
): Promise<Listed<KeyVersion>> {
  const listed = await versions.list(tenantId, keyId, { limit, offset })
  if (listed === null) throw keyNotFound()
  return listed
}

/** The text that an answer shows for a version's value; null for a destroyed one. */
export function shownValue({ value, destroyed_at }: KeyVersion): string | null {
  if (destroyed_at !== null) return null
  return value === null ? MASK : value.reveal()
}

type Restoring = { keyId: string; version: number; expectedVersion?: number | undefined }

/** Make an older value the newest version.
 * @throws DomainError not_found (key or version) · version_conflict (`details.version`) · version_destroyed */
export async function restoreVersion(
  { keys, versions, clock }: { keys: KeyStore; versions: KeyVersionStore; clock: ClockAndIds },
  caller: Caller,
  restoring: Restoring,
): Promise<SeenKey> {
  const stamp = stampOf(caller, clock)
  const restored = await versions.restore(caller.tenantId, { ...restoring, stamp })
  const { status } = restored
  if (status === 'no_version') throw versionNotFound(restoring.version)
  if (status === 'destroyed') throw versionDestroyed(restoring.version)
  requireChanged(status === 'conflict' ? restored : { status })
  return readBack(findKey(keys, caller, restoring.keyId))
}

/** Destroy the value of an older version. A second time does nothing.
 * @throws DomainError not_found (key or version) · conflict (the current version) */
export async function destroyVersion(
  { versions, clock }: { versions: KeyVersionStore; clock: ClockAndIds },
  caller: Caller,
  { keyId, version }: { keyId: string; version: number },
): Promise<void> {
  const outcome = await versions.destroy(caller.tenantId, { keyId, version, stamp: stampOf(caller, clock) })
  if (outcome === 'absent') throw keyNotFound()
  if (outcome === 'no_version') throw versionNotFound(version)
  if (outcome === 'current')
    throw new DomainError('conflict', `version ${version} is the current value: set another value first`)
}

function versionNotFound(version: number): DomainError {
  return new DomainError('not_found', `Key has no version ${version}`)
}

function versionDestroyed(version: number): DomainError {
  return new DomainError('version_destroyed', `the value of version ${version} was destroyed`)
}
