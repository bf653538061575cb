import { LIMITS, TIMES } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import type { GrantStore } from '../approvals/grant.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { turn } from '../base/turns.ts'
import type { DeliveredKey, Delivery, DeliveryStore } from '../deliveries/delivery.ts'
import type { AttachmentStore } from '../library/attachment.ts'
import { type DeviceParts, requireWatching } from '../requests/device.ts'
import type { WaitingCall, WaitingRoom } from '../requests/waiting-room.ts'

/*
 * A client that got values can wait until one of them changes. Its cursor is the delivery itself: the record has the
 * version of every value, so a change between the delivery and the wait is noticed at once, and so is one that
 * happened while the server was down. The answer says only that something changed. The client then asks for the values
 * again, by all the rules of a delivery.
 */

export type ChangeParts = {
  stores: { attachments: Pick<AttachmentStore, 'versions'>; deliveries: DeliveryStore; grants: GrantStore }
  clock: ClockAndIds
  /** Keeps callers by their tenant. */
  changeRoom: WaitingRoom
  watchers: Watchers
}

type WatchParts = Omit<ChangeParts, 'clock'>

type OpenWatch = { deliveryId: string; onBreak: (listener: () => void) => void }

/** Wait until a value of a program's own delivery changes, at most 30 s.
 * @returns whether one has changed · @throws DomainError not_found · too_many */
export async function waitForOwnChange(
  parts: WatchParts,
  { tenantId, programId }: { tenantId: string; programId: string },
  open: OpenWatch,
): Promise<boolean> {
  const delivery = await parts.stores.deliveries.find(tenantId, open.deliveryId)
  if (delivery?.machine?.id !== programId) throw notFound()
  return waitUntilChanged(parts, { tenantId, delivery, watcher: programId, ...open })
}

/** The same for a terminal, which needs an approval that is remembered for the bundle of the delivery.
 * @throws DomainError not_found · invalid · too_many */
export async function waitForRememberedChange(
  parts: ChangeParts & DeviceParts,
  device: Parameters<typeof requireWatching>[1],
  open: OpenWatch,
): Promise<boolean> {
  await requireWatching(parts, device, open.deliveryId)
  const known = await rememberedDelivery(parts, device.public_key, open.deliveryId)
  if (known === null) throw notFound()
  return waitUntilChanged(parts, { ...known, watcher: device.public_key, ...open })
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

type Watch = WatchedDelivery & OpenWatch & { watcher: string }

async function waitUntilChanged(parts: WatchParts, watch: Watch): Promise<boolean> {
  const { watchers, changeRoom } = parts
  const leave = watchers.enter(watch)
  try {
    using call = changeRoom.admit(watch.tenantId, TIMES.longPollSeconds * 1_000)
    watch.onBreak(() => call.finish())
    return await changedDuring(call, parts, watch)
  } finally {
    leave()
  }
}

async function changedDuring(
  call: WaitingCall,
  { stores, watchers }: WatchParts,
  { tenantId, delivery }: Watch,
): Promise<boolean> {
  const compared = digestOf(JSON.stringify([tenantId, delivery.bundle.id, textOf(delivery.keys)]))
  for (;;) {
    if (await watchers.compare(compared, () => hasChanged(stores, tenantId, delivery))) return true
    if (call.isOver) return false
    await call.changed()
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

/** Limits how many calls of one program or terminal, and of one workspace, this process keeps open. Calls that wait for
 * the same values share a comparison. */
export class Watchers {
  readonly #counts = new Map<string, number>()
  readonly #comparisons = new Map<string, Promise<boolean>>()

  /** @returns ends the call · @throws DomainError too_many */
  enter({ watcher, tenantId }: { watcher: string; tenantId: string }): () => void {
    const [ofCaller, ofWorkspace] = [`caller ${watcher}`, `workspace ${tenantId}`] as const
    this.#requireRoom(ofCaller, LIMITS.openWatches, 'caller')
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
    if ((this.#counts.get(place) ?? 0) < most) return
    const message = `Too many requests: ${most} waits are held for this ${whose}`
    throw new DomainError('too_many', message, { retryAfterSeconds: TIMES.longPollSeconds })
  }

  #add(place: string, calls: 1 | -1): void {
    const open = (this.#counts.get(place) ?? 0) + calls
    if (open === 0) this.#counts.delete(place)
    else this.#counts.set(place, open)
  }
}
