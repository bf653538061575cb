import { LIMITS, TIMES } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import type { GrantStore } from '../approvals/grant.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { turn } from '../base/turns.ts'
import type { DeliveredKey, Delivery, DeliveryStore } from '../deliveries/delivery.ts'
import type { AttachmentStore } from '../library/attachment.ts'
import { type DeviceParts, requireWatching } from '../requests/device.ts'
import type { Hold, WaitingRoom } from '../requests/waiting-room.ts'

/*
 * A client that got values can wait until one of them changes. Its cursor is the delivery itself: the record has the
 * version of every value, so a change between the delivery and the wait is noticed at once, and so is one that
 * happened while the server was down. The answer says only that something changed. The client then asks for the values
 * again, by all the rules of a delivery.
 */

export type ChangeParts = {
  stores: { attachments: Pick<AttachmentStore, 'versions'>; deliveries: DeliveryStore; grants: GrantStore }
  clock: ClockAndIds
  /** Holds callers by their tenant. */
  changeRoom: WaitingRoom
  watchers: Watchers
}

type HoldParts = Omit<ChangeParts, 'clock'>

type HeldWatch = { deliveryId: string; onBreak: (listener: () => void) => void }

/** Hold until a value of a program's own delivery changes, at most 30 s.
 * @returns whether one has changed · @throws DomainError not_found · too_many */
export async function waitForOwnChange(
  parts: HoldParts,
  { tenantId, programId }: { tenantId: string; programId: string },
  held: HeldWatch,
): Promise<boolean> {
  const delivery = await parts.stores.deliveries.find(tenantId, held.deliveryId)
  if (delivery?.machine?.id !== programId) throw notFound()
  return holdUntilChanged(parts, { tenantId, delivery, watcher: programId, ...held })
}

/** The same for a terminal, which needs an approval that is remembered for the bundle of the delivery.
 * @throws DomainError not_found · invalid · too_many */
export async function waitForRememberedChange(
  parts: ChangeParts & DeviceParts,
  device: Parameters<typeof requireWatching>[1],
  held: HeldWatch,
): Promise<boolean> {
  await requireWatching(parts, device, held.deliveryId)
  const known = await rememberedDelivery(parts, device.public_key, held.deliveryId)
  if (known === null) throw notFound()
  return holdUntilChanged(parts, { ...known, watcher: device.public_key, ...held })
}

type WatchedDelivery = { tenantId: string; delivery: Delivery }

// The same person let this terminal have the values of this bundle.
async function rememberedDelivery(
  { stores, clock }: ChangeParts,
  deviceKey: string,
  deliveryId: string,
): Promise<WatchedDelivery | null> {
  const now = timestamp(clock)
  const grants = (await stores.grants.ofDevice(deviceKey)).filter(
    ({ ended, expiresAt }) => ended === null && expiresAt > now,
  )
  for (const tenantId of new Set(grants.map(({ tenant }) => tenant.id))) {
    const delivery = await stores.deliveries.find(tenantId, deliveryId)
    const isOwn = grants.some(
      ({ tenant, bundle, userId }) =>
        tenant.id === tenantId && bundle.id === delivery?.bundle.id && userId === delivery.approver?.id,
    )
    if (delivery !== null && isOwn) return { tenantId, delivery }
  }
  return null
}

type Watch = WatchedDelivery & HeldWatch & { watcher: string }

async function holdUntilChanged(parts: HoldParts, watch: Watch): Promise<boolean> {
  const { watchers, changeRoom } = parts
  const leave = watchers.enter(watch)
  try {
    using hold = changeRoom.hold(watch.tenantId, TIMES.longPollSeconds * 1_000)
    watch.onBreak(() => hold.finish())
    return await changedDuring(hold, parts, watch)
  } finally {
    leave()
  }
}

async function changedDuring(
  hold: Hold,
  { stores, watchers }: HoldParts,
  { tenantId, delivery }: Watch,
): Promise<boolean> {
  const compared = digestOf(JSON.stringify([tenantId, delivery.bundle.id, textOf(delivery.keys)]))
  for (;;) {
    if (await watchers.compare(compared, () => hasChanged(stores, tenantId, delivery))) return true
    if (hold.isOver) return false
    await hold.changed()
  }
}

/** Whether the bundle delivers one of these keys no more, under another name, or with another value. Legacy items have
 * no versions and do not count. */
async function hasChanged(
  { attachments }: ChangeParts['stores'],
  tenantId: string,
  { bundle, keys }: Delivery,
): Promise<boolean> {
  const ids = keys.map(({ id }) => id)
  const current = await attachments.versions(tenantId, bundle.id, ids)
  const delivered = new Map(current.map((key) => [key.id, key]))
  return keys.some(({ id, name, version }) => {
    const now = delivered.get(id)
    return now?.name !== name || now.version !== version
  })
}

function textOf(keys: readonly DeliveredKey[]): string {
  return keys
    .map(({ id, name, version }) => [id, name, version].join(' '))
    .toSorted()
    .join('\n')
}

function notFound(): DomainError {
  return new DomainError('not_found', 'Delivery not found')
}

/** Limits how many calls of one program or terminal, and of one workspace, this process holds. Calls that wait for the
 * same values share a comparison. */
export class Watchers {
  readonly #held = new Map<string, number>()
  readonly #comparisons = new Map<string, Promise<boolean>>()

  /** @returns ends the call · @throws DomainError too_many */
  enter({ watcher, tenantId }: { watcher: string; tenantId: string }): () => void {
    const [ofCaller, ofWorkspace] = [`caller ${watcher}`, `workspace ${tenantId}`] as const
    this.#requireRoom(ofCaller, LIMITS.heldWatches, 'caller')
    this.#requireRoom(ofWorkspace, LIMITS.workspaceWatches, 'workspace')
    for (const place of [ofCaller, ofWorkspace]) this.#add(place, 1)
    return () => {
      for (const place of [ofCaller, ofWorkspace]) this.#add(place, -1)
    }
  }

  /** Compare once for all callers of one change with the same `id`. A caller never joins a comparison that has begun to
   * read, because it could miss the change that woke the caller. */
  compare(id: string, look: () => Promise<boolean>): Promise<boolean> {
    const begun = this.#comparisons.get(id)
    if (begun !== undefined) return begun
    const comparison = turn().then(() => {
      this.#comparisons.delete(id)
      return look()
    })
    this.#comparisons.set(id, comparison)
    return comparison
  }

  #requireRoom(place: string, most: number, whose: string): void {
    if ((this.#held.get(place) ?? 0) < most) return
    const message = `Too many requests: ${most} waits are held for this ${whose}`
    throw new DomainError('too_many', message, { retryAfterSeconds: TIMES.longPollSeconds })
  }

  #add(place: string, calls: 1 | -1): void {
    const held = (this.#held.get(place) ?? 0) + calls
    if (held === 0) this.#held.delete(place)
    else this.#held.set(place, held)
  }
}
