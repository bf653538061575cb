import type { ClockAndIds } from '../base/clock-and-ids.ts'
import type { Origin } from '../base/origin.ts'
import { stampOf } from '../base/stamp.ts'
import type { DeliveredKey, DeliveryLabel, NewDelivery, Via } from '../deliveries/delivery.ts'
import { holderOf } from '../deliveries/holder.ts'
import type { BundleEntry } from '../library/bundle-entry.ts'
import type { Composable } from '../library/composed-entry.ts'
import { dueOf } from '../library/key-lifetime.ts'
import type { Caller } from '../people/membership.ts'
import type { ApprovalRequest, Hold, Support } from '../requests/stored-request.ts'

/*
 * What an approval leaves behind: the record of its delivery. It is written in the transaction of the approval, and
 * ends when the hand-over is confirmed.
 */

type DeliveryApproval = {
  caller: Caller
  request: ApprovalRequest
  bundle: { id: string; name: string }
  entries: readonly BundleEntry[]
  /** Names whose values the approver typed. */
  typed: readonly string[]
  hold: Hold | null
  /** When the request expires, in epoch milliseconds. */
  expiresAtMs: number
  vouch: Pick<Support, 'userId' | 'username'> | null
  first: Support | null
  grantId: string | null
}

export function deliveryOf(clock: ClockAndIds, approved: DeliveryApproval): NewDelivery {
  const { caller, request, bundle, entries, typed, hold, expiresAtMs, vouch, first, grantId } = approved
  const label = labelOf(request.requesterMeta)
  const origin = { ...caller.origin, ...requestOrigin(request) }
  return {
    id: clock.newId(),
    requestId: request.id,
    grantId,
    held: hold && { by: hold.by, until: new Date(expiresAtMs).toISOString() },
    firstApproverId: first?.userId ?? null,
    voucherId: vouch?.userId ?? null,
    bundle: { id: bundle.id, name: bundle.name },
    holder: holderOf(vouch?.userId ?? caller.userId, label),
    label,
    via: viaOf(request.requesterMeta),
    keys: deliveredKeys(entries),
    unversioned: entries.flatMap(({ id, name }) => (id === null ? [name] : [])),
    typed,
    stamp: { ...stampOf(caller, clock), origin },
  }
}

/** The keys whose values leave, those that go only into composed values last. */
export function deliveredKeys(entries: readonly BundleEntry[]): DeliveredKey[] {
  const keys = entries.flatMap((entry) => deliveredKey(entry, false))
  const parts = entries.flatMap(({ composition }) => composition?.parts ?? [])
  const known = new Set(keys.map(({ id }) => id))
  for (const part of parts.flatMap((entry) => deliveredKey(entry, true))) {
    if (known.has(part.id)) continue
    known.add(part.id)
    keys.push(part)
  }
  return keys
}

// A legacy item has neither an id nor versions.
function deliveredKey({ id, name, version }: Composable, isPart: boolean): DeliveredKey[] {
  return id === null || version === null ? [] : [{ id, name, version, isPart }]
}

export function expiredNames(entries: readonly BundleEntry[], now: Date): string[] {
  return entries.filter((entry) => dueOf(entry, now) === 'expired').map(({ name }) => name)
}

/** What a client may claim; absent members are `undefined`. */
type MetaClaims = Readonly<Record<string, string | undefined>>

/** What the client claims of the place that gets the values. */
export function labelOf({ hostname = '', user = '', command = '' }: MetaClaims): DeliveryLabel {
  // The first word of a command line, without its folder: arguments may contain secrets.
  const [, quoted, plain] = /^(?:'([^']*)'|(\S+))/.exec(command) ?? []
  return { hostname, user, program: (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? '' }
}

export function viaOf({ via }: MetaClaims): Via {
  return via === 'run' || via === 'pull' ? via : null
}

/** What an event keeps of the terminal that asked. */
export function requestOrigin({ requesterMeta }: Pick<ApprovalRequest, 'requesterMeta'>): Origin {
  const { ip, os } = requesterMeta
  return { requester_ip: ip, ...labelOf(requesterMeta), ...(os === undefined ? {} : { os }) }
}
