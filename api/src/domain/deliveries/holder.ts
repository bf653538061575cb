import { holderId } from '@keyferry/crypto/holder-id'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Listed, Page, WholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { keyNotFound, type Person } from '../library/key.ts'
import { type MachineName, machineNotFound } from '../machines/machine.ts'
import type { Caller } from '../people/membership.ts'
import { type DeliveryLabel, storedTime, type Via } from './delivery.ts'

/*
 * A holder is a place that was given values: a person who approves or vouches, at one host, as one user of its system;
 * or a machine. Host and user are claims of the client. Each key and holder has one entry, however many deliveries
 * there are: the version that was delivered last, and the version in a delivery that is not confirmed. So a delivery
 * that never arrived does not hide an older value that the holder still has.
 *
 * An entry says what was delivered, not what is still in use: the server cannot see when a program ends. The entry
 * clears when the holder fetches the newer version; an owner may dismiss it before.
 */

/** A version that a holder was given last. */
export type Holding = {
  holder: string
  /** Handed over; null before the first confirmed delivery. */
  version: number | null
  /** In a delivery that is not confirmed. */
  perhaps_version: number | null
  label: DeliveryLabel | null
  via: Via
  first_at: string
  last_at: string
  /** Confirmed deliveries. */
  times: number
  delivery_id: string
  /** The key's current version. */
  current_version: number
}

export type KeyHolder = Holding & { who: Person | MachineName }

type HeldKey = { id: string; name: string; is_secret: boolean; bundles: HoldingBundle[] }

/** A bundle that holds a key. */
export type HoldingBundle = { id: string; name: string; is_production: boolean }

export type KeyHolding = Holding & { key: HeldKey }

/** A key with holders who were given an older version last. */
export type StaleKey = {
  id: string
  name: string
  version: number
  /** When its current value was set. */
  value_set_at: string
  /** How many hold an older version. */
  holders: number
}

export interface HolderStore {
  /** Those of one key, the oldest version first; null when the tenant has no such key. */
  ofKey(tenantId: string, keyId: string, page: WholePage): Promise<Listed<KeyHolder> | null>
  /** What one person was given, by key, secrets first; null when the tenant does not know the person. */
  ofPerson(tenantId: string, userId: string, page: WholePage): Promise<Listed<KeyHolding> | null>
  /** What one machine was given, by key; null when the tenant does not know the machine. */
  ofMachine(tenantId: string, machineId: string, page: WholePage): Promise<Listed<KeyHolding> | null>
  /** By name. `before`: ISO timestamp; only keys whose current value was set before it. */
  staleKeys(tenantId: string, before: string | undefined, page: WholePage): Promise<StaleKey[]>
  /** False when the list has no such entry. */
  dismiss(tenantId: string, entry: { keyId: string; holder: string; stamp: Stamp }): Promise<boolean>
}

/** Entries in an answer that names no limit. */
const PAGE = 100

/** @throws DomainError not_found */
export async function listHolders(
  holders: HolderStore,
  { tenantId }: Caller,
  { keyId, page: { limit = PAGE, offset = 0 } }: { keyId: string; page: Page },
): Promise<Listed<KeyHolder>> {
  const listed = await holders.ofKey(tenantId, keyId, { limit, offset })
  if (listed === null) throw keyNotFound()
  return listed
}

/** What a person was given, also after the person was removed.
 * @throws DomainError not_found: neither a member nor given anything */
export async function listHoldings(
  holders: HolderStore,
  { tenantId }: Caller,
  { userId, page: { limit = PAGE, offset = 0 } }: { userId: string; page: Page },
): Promise<Listed<KeyHolding>> {
  const listed = await holders.ofPerson(tenantId, userId, { limit, offset })
  if (listed === null) throw new DomainError('not_found', 'User not found')
  return listed
}

/** Keys whose older versions someone still holds, by name. `before`: only those that changed before this time. */
export function listStaleKeys(
  holders: HolderStore,
  { tenantId }: Caller,
  { before, page: { limit = PAGE, offset = 0 } }: { before: string | undefined; page: Page },
): Promise<StaleKey[]> {
  return holders.staleKeys(tenantId, before && storedTime(before), { limit, offset })
}

/** What a machine was given, also after the machine was deleted.
 * @throws DomainError not_found: neither a machine nor given anything */
export async function listMachineHoldings(
  holders: HolderStore,
  { tenantId }: Caller,
  { machineId, page: { limit = PAGE, offset = 0 } }: { machineId: string; page: Page },
): Promise<Listed<KeyHolding>> {
  const listed = await holders.ofMachine(tenantId, machineId, { limit, offset })
  if (listed === null) throw machineNotFound()
  return listed
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

/** The id of a machine as a holder, wherever it runs. */
export function machineHolder(machineId: string): string {
  return holderId('machine', machineId)
}
