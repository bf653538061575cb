import { Plaintext } from '@keyferry/crypto/plaintext'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import type { DeliveryStore, NewDelivery } from '../deliveries/delivery.ts'
import { sealValues, valuesOf } from '../deliveries/sealed-values.ts'
import type { Bundle } from '../library/bundle.ts'
import { bundleEntries, type EntryStores } from '../library/bundle-entry.ts'
import type { Caller } from '../people/membership.ts'
import { findSelf, type TenantStore } from '../people/tenant.ts'
import type { ApprovedDelivery } from '../requests/approved.ts'
import type { GrantDraft } from '../requests/grant-draft.ts'
import { publicKeyOf } from '../requests/request.ts'
import type { ApprovalRequest, Hold, Support, Vouch } from '../requests/stored-request.ts'
import { namesDigest } from './grant.ts'
import { type ReceiptSigner, receiptOf } from './receipt.ts'
import { deliveryOf, expiredNames } from './request-delivery.ts'

/*
 * From an approval to a sealed box with its record. The transaction that puts the box into its request writes the
 * record.
 */

export type SealingParts = {
  clock: ClockAndIds
  stores: EntryStores & { deliveries: DeliveryStore; tenants: TenantStore }
  receipts: ReceiptSigner
  /** Bound of the plaintext that is sealed. */
  maxPayloadBytes: number
}

export type ToSeal = {
  /** Who approves. */
  caller: Caller
  bundle: Pick<Bundle, 'id' | 'name'>
  request: ApprovalRequest
  /** Delivered names of the bundle. */
  names: readonly string[]
  /** Values that the approver typed, because the bundle lacks them. */
  typed?: readonly ApproversValue[]
  hold: Hold | null
  /** When the request expires, in epoch milliseconds. */
  expiresAtMs: number
  /** Whose terminal asks, where that is not the approver's. */
  vouch?: Vouch | null
  first: Support | null
  /** The remembered approval that is used; null: a person approves now. */
  grantId?: string | null
  /** What the approver lets the terminal repeat; absent: nothing. */
  remembering?: Remembering | undefined
}

type Remembering = Pick<GrantDraft, 'hours' | 'isForRepository'> & {
  task?: Omit<NonNullable<GrantDraft['task']>, 'versions'>
}

type ApproversValue = { name: string; value: string; is_secret: boolean }

/** Seal values to the client's key. The delivery must be recorded before the box leaves.
 * @throws DomainError invalid (a name that the bundle does not contain) · too_large · not_found (the approver was
 *   removed) */
export async function prepareDelivery(
  parts: SealingParts,
  toSeal: ToSeal,
): Promise<{ delivery: NewDelivery; sealed: { ciphertextBase64: string; approved: ApprovedDelivery } }> {
  const { caller, bundle, request, names, typed = [], hold, first, vouch = null, grantId = null } = toSeal
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const [{ tenant, username }, { values, entries, missingRequired }] = await Promise.all([
    findSelf(parts.stores.tenants, caller),
    valuesOf(parts, place, names),
  ])
  for (const { name, value } of typed) values.set(name, Plaintext.of(value))
  const sealing = { publicKey: publicKeyOf(request.publicKey), maxBytes: parts.maxPayloadBytes }
  const ciphertextBase64 = sealValues(values, sealing)
  const delivery = deliveryOf(parts.clock, { ...toSeal, entries, typed: namesOf(typed), vouch, grantId })
  const approved = {
    kind: 'delivery' as const,
    approverId: caller.userId,
    tenant,
    bundle: { id: bundle.id, name: bundle.name },
    missingRequired,
    deliveryId: delivery.id,
    versions: delivery.keys.flatMap(({ name, version, isPart }) =>
      isPart === true ? [] : [{ name, version }],
    ),
    expired: expiredNames(entries, parts.clock.now()),
    receipt: receiptOf(parts.receipts, {
      request,
      ciphertextBase64,
      delivery,
      publicNames: namesOf([...entries, ...typed].filter(({ is_secret }) => !is_secret)),
      tenant,
      first,
      vouch,
      hold,
      approver: { id: caller.userId, username },
    }),
    remember: await draftOf(parts, toSeal, { place, missingRequired, delivery }),
  }
  return { delivery, sealed: { ciphertextBase64, approved } }
}

const namesOf = (named: readonly { name: string }[]) => named.map(({ name }) => name)

type Drafted = {
  place: { tenantId: string; bundleId: string }
  missingRequired: string[]
  delivery: NewDelivery
}

async function draftOf(
  { stores }: SealingParts,
  { caller, names, remembering }: ToSeal,
  { place, missingRequired, delivery }: Drafted,
): Promise<GrantDraft | null> {
  if (remembering === undefined) return null
  const { task, ...kept } = remembering
  const all = await bundleEntries(stores, place, 'none')
  const versions = Object.fromEntries(delivery.keys.map(({ id, version }) => [id, version]))
  return {
    ...kept,
    ...(task ? { task: { ...task, versions } } : {}),
    isOnce: false,
    keys: [...new Set(names)].toSorted(),
    leftOut: missingRequired,
    bundleNames: namesDigest(all.map(({ name }) => name)),
    epoch: caller.epoch ?? 0,
  }
}
