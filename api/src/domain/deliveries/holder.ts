import type { HoldingList, OlderHolders, StaleKeyList, TypedValueList } from '@keyferry/contract'
import { holderId } from '@keyferry/crypto/holder-id'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { ListPage, Page, WholePage } from '../base/listing.ts'
import { wholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { type KeyEditor, keyNotFound } from '../library/key.ts'
import type { Caller } from '../people/membership.ts'
import { type DeliveryLabel, storedTime } from './delivery.ts'

/*
 * A holder is a place that was given values: a person who approves or vouches, at one host, as one user of its system;
 * or a program. Host and user are claims of the client. Each key and holder has one entry, however many deliveries
 * there are: the version that was delivered last, and the version in a delivery that is not confirmed. So a delivery
 * that never arrived does not hide an older value that the holder still has.
 *
 * An entry says what was delivered, not what is still in use: the server cannot see when a program ends. The entry
 * clears when the holder fetches the newer version; an owner may dismiss it before.
 */

type ShownHolding = z.output<typeof HoldingList>[number]

/** The `version` that a holder was given last; null before the first confirmed delivery. `perhaps_version`: in a
 * delivery that is not confirmed. `times`: of confirmed deliveries. `current_version`: the key's. */
export type Holding = Omit<ShownHolding, 'is_current' | 'state' | 'key'> & { current_version: number }

export type KeyHolder = Holding & { who: KeyEditor | { kind: 'machine'; id: string; name: string | null } }

type KeyOfHolding = Omit<ShownHolding['key'], 'version'>

/** A bundle that contains a key. */
export type BundleOfKey = KeyOfHolding['bundles'][number]

export type KeyHolding = Holding & { key: KeyOfHolding }

/** A key with holders who were given an older version last. */
export type StaleKey = z.output<typeof StaleKeyList>[number]

/** A value that a person typed, imported or proposed. */
export type TypedValue = z.output<typeof TypedValueList>[number]

export interface HolderStore {
  /** Those of one key, the oldest version first; null when the tenant has no such key. */
  ofKey(tenantId: string, keyId: string, page: WholePage): Promise<ListPage<KeyHolder> | null>
  /** Of those, the ones who were given an older version than the current one last. */
  olderOfKey(tenantId: string, keyId: string, page: WholePage): Promise<ListPage<KeyHolder> | null>
  /** What one person was given, by key, secrets first. */
  ofPerson(tenantId: string, userId: string, page: WholePage): Promise<ListPage<KeyHolding>>
  /** What one program was given, by key. */
  ofProgram(tenantId: string, programId: string, page: WholePage): Promise<ListPage<KeyHolding>>
  /** What one person typed, imported or proposed, by key, secrets first. */
  typedBy(tenantId: string, userId: string, page: WholePage): Promise<ListPage<TypedValue>>
  /** How many values each person was given, by user id, and of how many only an older version. */
  counts(tenantId: string): Promise<ReadonlyMap<string, { total: number; older: number }>>
  /** By name. `before`: ISO timestamp; only keys whose current value was set before it. */
  staleKeys(tenantId: string, before: string | undefined, page: WholePage): Promise<StaleKey[]>
  /** False when the list has no such entry. */
  dismiss(tenantId: string, entry: { keyId: string; holder: string; stamp: Stamp }): Promise<boolean>
}

/** @throws DomainError not_found */
export async function listHolders(
  holders: HolderStore,
  { tenantId }: Caller,
  { keyId, page }: { keyId: string; page: Page },
): Promise<ListPage<KeyHolder>> {
  const listed = await holders.ofKey(tenantId, keyId, wholePage(page))
  if (listed === null) throw keyNotFound()
  return listed
}

const OLDER_SHOWN = 3

/** Who still holds an older value of a key: the first of them, and how many there are. */
export async function olderHolders(
  holders: HolderStore,
  { tenantId }: Caller,
  keyId: string,
): Promise<z.output<typeof OlderHolders>> {
  const page = { limit: OLDER_SHOWN, offset: 0 }
  const { total, rows } = (await holders.olderOfKey(tenantId, keyId, page)) ?? { total: 0, rows: [] }
  const first = rows.map(({ who, label, version, perhaps_version, current_version }) => {
    return { ...who, label, version: version ?? perhaps_version ?? current_version }
  })
  return { total: total ?? first.length, first }
}

/** What a person was given, also after they left; nothing of somebody unknown. */
export function listHoldings(
  holders: HolderStore,
  { tenantId }: Caller,
  { userId, page }: { userId: string; page: Page },
): Promise<ListPage<KeyHolding>> {
  return holders.ofPerson(tenantId, userId, wholePage(page))
}

/** What a person typed, imported or proposed, also after they left; nothing of somebody unknown. */
export function listTypedValues(
  holders: HolderStore,
  { tenantId }: Caller,
  { userId, page }: { userId: string; page: Page },
): Promise<ListPage<TypedValue>> {
  return holders.typedBy(tenantId, userId, wholePage(page))
}

/** Keys whose older versions someone still holds, by name. `before`: only those that changed before this time. */
export function listStaleKeys(
  holders: HolderStore,
  { tenantId }: Caller,
  { before, page }: { before: string | undefined; page: Page },
): Promise<StaleKey[]> {
  return holders.staleKeys(tenantId, before && storedTime(before), wholePage(page))
}

/** What a program was given, also after it was deleted; nothing of one that is unknown. */
export function listProgramHoldings(
  holders: HolderStore,
  { tenantId }: Caller,
  { programId, page }: { programId: string; page: Page },
): Promise<ListPage<KeyHolding>> {
  return holders.ofProgram(tenantId, programId, wholePage(page))
}

/** Take a holder off a key's list until it is given the key again.
 * @throws DomainError not_found */
export async function dismissHolder(
  { holders, clock }: { holders: HolderStore; clock: ClockAndIds },
  caller: Caller,
  { keyId, holder }: { keyId: string; holder: string },
): Promise<void> {
  const stamp = stampOf(caller, clock)
  if (await holders.dismiss(caller.tenantId, { keyId, holder, stamp })) return
  throw new DomainError('not_found', 'Key or holder not found')
}

/** Whether all that the holder was given, or may have been, is the current version. */
export function isCurrent({ version, perhaps_version, current_version }: Holding): boolean {
  return [version, perhaps_version].every((given) => given === null || given === current_version)
}

/** The id of a person's place. The same claims give the same id. */
export function holderOf(approverId: string, { hostname, user }: DeliveryLabel): string {
  return holderId('person', approverId, hostname, user)
}
