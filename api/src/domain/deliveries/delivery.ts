import type { Delivery as DeliverySchema, ReleaseWay } from '@keyferry/contract'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { ListPage, Page, WholePage } from '../base/listing.ts'
import { wholePage } from '../base/listing.ts'
import type { Origin } from '../base/origin.ts'
import type { Stamp } from '../base/stamp.ts'
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
export type DeliveryKind = Delivery['kind']
export type DeliveryState = Delivery['state']

/** What the client claimed about itself. `program`: the name of the program that it ran for, without arguments. */
export type DeliveryLabel = NonNullable<Delivery['label']>

export type Via = Delivery['via']

/** A key in a delivery: `name` is the name that it was delivered under. `isPart`: it went only into composed values. */
export type DeliveredKey = { id: string; name: string; version: number; isPart?: boolean }

/** `approver`: null for a program's delivery. `vouched_by`: who said that the terminal is theirs, if another person
 * approved. `machine`: null for an approval. `holder`: see holder.ts. */
export type Delivery = Omit<z.output<typeof DeliverySchema>, 'keys'> & { keys: readonly DeliveredKey[] }

/** `current_version`: the key's version now; null once it is deleted. */
export type DeliveryNow = Omit<Delivery, 'keys'> & {
  keys: readonly (DeliveredKey & { current_version: number | null })[]
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
  /** Names whose values the approver typed: no bundle has them. */
  typed: readonly string[]
  /** The approver, and when. */
  stamp: Stamp
}

export type DeliveryFilter = {
  bundleId?: string | undefined
  userId?: string | undefined
  programId?: string | undefined
  /** ISO timestamps, both included. */
  from?: string | undefined
  to?: string | undefined
}

/** `at`: ISO timestamp. */
export type DeliveryEnd = { deliveryId: string; at: string; origin: Origin | null }

/** What transactions do with deliveries. */
export interface DeliveryRecords {
  /** Records a delivery that is about to leave, and what its holder may have from then on.
   * @throws DomainError unavailable: then nothing may leave */
  begin(tenantId: string, delivery: NewDelivery): Promise<void>
  /** The approval came back through the terminal. */
  release(tenantId: string, release: DeliveryEnd & { by: ReleaseWay }): Promise<void>
  /** The delivery never left the server. Does nothing to one that has ended. `isAlarm`: its approval did not return to
   * the terminal. Then the person approved a request of another person's terminal, or their browser could not reach
   * their own. Owners see it in the audit log: the clearest sign of phishing. */
  void(tenantId: string, end: DeliveryEnd & { reason?: string; isAlarm?: boolean }): Promise<void>
  /** The client has the delivery. A second call does nothing. */
  collect(tenantId: string, end: DeliveryEnd): Promise<void>
}

export interface DeliveryStore {
  /** Deliveries of all tenants that were held until before this time, an ISO timestamp; some of them. */
  overdue(time: string): Promise<{ tenantId: string; deliveryId: string }[]>
  find(tenantId: string, deliveryId: string): Promise<DeliveryNow | null>
  /** Newest first. */
  list(tenantId: string, filter: DeliveryFilter, page: WholePage): Promise<ListPage<Delivery>>
}

export function listDeliveries(
  deliveries: DeliveryStore,
  { tenantId }: Caller,
  { filter, page }: { filter: DeliveryFilter; page: Page },
): Promise<ListPage<Delivery>> {
  const { from, to } = filter
  const times = { from: from && storedTime(from), to: to && storedTime(to) }
  return deliveries.list(tenantId, { ...filter, ...times }, wholePage(page))
}

/** @throws DomainError not_found */
export async function findDelivery(
  deliveries: DeliveryStore,
  { tenantId }: Caller,
  deliveryId: string,
): Promise<DeliveryNow> {
  const delivery = await deliveries.find(tenantId, deliveryId)
  if (delivery === null) throw new DomainError('not_found', 'Delivery not found')
  return delivery
}

/** A time in the form in which times are stored. They are compared as text, so each has milliseconds. */
export function storedTime(time: string): string {
  return new Date(time).toISOString()
}
