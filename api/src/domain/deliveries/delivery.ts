import type { ReleaseWay } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import type { Listed, Page, WholePage } from '../base/listing.ts'
import type { Origin } from '../base/origin.ts'
import type { Stamp } from '../base/stamp.ts'
import type { Person } from '../library/key.ts'
import type { MachineName } from '../machines/machine.ts'
import type { Caller } from '../people/membership.ts'

/*
 * A delivery is what leaves the server sealed. Its record is written before that, with the version of every value, and
 * becomes `collected` when the hand-over is confirmed. So a record may tell of a delivery that never arrived; no
 * delivery is without its record.
 *
 * | state     | what happened                                                              |
 * | --------- | -------------------------------------------------------------------------- |
 * | held      | sealed, and waiting for the approval's return to the terminal              |
 * | approved  | sealed, delivery not confirmed: the client may or may not have it          |
 * | void      | never left the server: another approval was faster, the request was denied |
 * |           | or withdrawn, or the approval did not return to the terminal               |
 * | collected | the client has it                                                          |
 */

/** `remembered`: by an approval that the approver lets the terminal repeat. `machine`: asked for and given by machine,
 * without an approval. */
export type DeliveryKind = 'approval' | 'remembered' | 'machine'
export type DeliveryState = 'held' | 'approved' | 'void' | 'collected'

/** What the client claimed about itself. `program`: the name of the program that it ran for, without arguments. */
export type DeliveryLabel = { hostname: string; user: string; program: string }

export type Via = 'run' | 'pull' | null

/** A key in a delivery: `name` is the name that it was delivered under. `isPart`: it went only into composed values. */
export type DeliveredKey = { id: string; name: string; version: number; isPart?: boolean }

export type Delivery = {
  id: string
  kind: DeliveryKind
  state: DeliveryState
  bundle: { id: string; name: string }
  /** Null for a machine's delivery. */
  approver: Person | null
  /** Said that the terminal is theirs, where another person approved; null: the approver's own, or a machine. */
  vouched_by: Person | null
  /** Null for an approval. */
  machine: MachineName | null
  /** The holder's id: see holder.ts. */
  holder: string
  label: DeliveryLabel | null
  via: Via
  keys: readonly DeliveredKey[]
  created_at: string
  collected_at: string | null
}

export type NewDelivery = Pick<Delivery, 'id' | 'bundle' | 'holder' | 'label' | 'via' | 'keys'> & {
  requestId: string
  /** How the approval has to return to the terminal, and until when, as an ISO timestamp; null: it has not. */
  held: { by: ReleaseWay; until: string } | null
  /** The remembered approval that is used; null: a person approves. */
  grantId: string | null
  /** Who approved first, where two had to. */
  firstApproverId: string | null
  /** Whose terminal it is, where that is not the approver's. */
  voucherId: string | null
  /** Names that are delivered and have no version: legacy items. */
  unversioned: readonly string[]
  /** The approver, and when. */
  stamp: Stamp
}

export type DeliveryFilter = {
  bundleId?: string | undefined
  userId?: string | undefined
  machineId?: string | undefined
  /** ISO timestamps, both included. */
  from?: string | undefined
  to?: string | undefined
}

/** `at`: ISO timestamp. */
export type DeliveryEnd = { deliveryId: string; at: string; origin: Origin | null }

export interface DeliveryStore {
  /** Records a delivery that is about to leave, and what its holder may have from then on.
   * @throws DomainError unavailable: then nothing may leave */
  begin(tenantId: string, delivery: NewDelivery): Promise<void>
  /** The delivery never left the server. */
  void(tenantId: string, end: DeliveryEnd & { reason?: string }): Promise<void>
  /** The client has the delivery. A second call does nothing. */
  collect(tenantId: string, end: DeliveryEnd): Promise<void>
  find(tenantId: string, deliveryId: string): Promise<Delivery | null>
  /** Newest first. */
  list(tenantId: string, filter: DeliveryFilter, page: WholePage): Promise<Listed<Delivery>>
}

/** Entries in an answer that names no limit. */
const PAGE = 100

export function listDeliveries(
  deliveries: DeliveryStore,
  { tenantId }: Caller,
  { filter, page: { limit = PAGE, offset = 0 } }: { filter: DeliveryFilter; page: Page },
): Promise<Listed<Delivery>> {
  const { from, to } = filter
  const times = { from: from && storedTime(from), to: to && storedTime(to) }
  return deliveries.list(tenantId, { ...filter, ...times }, { limit, offset })
}

/** @throws DomainError not_found */
export async function findDelivery(
  deliveries: DeliveryStore,
  { tenantId }: Caller,
  deliveryId: string,
): Promise<Delivery> {
  const delivery = await deliveries.find(tenantId, deliveryId)
  if (delivery === null) throw new DomainError('not_found', 'Delivery not found')
  return delivery
}

/** A time in the form in which times are stored. They are compared as text, so each has milliseconds. */
export function storedTime(time: string): string {
  return new Date(time).toISOString()
}
