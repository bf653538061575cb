import { LIMITS, TIMES, type WebhookEvent } from '@keyferry/contract'
import { makeWebhookSecret } from '@keyferry/crypto/webhook-signature'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import type { Listed, Page, WholePage } from '../base/listing.ts'
import type { TargetRules } from '../base/outgoing-target.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { bundleNotFound } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'

/*
 * A webhook is an address outside that the server calls when something changes in a workspace. Owners manage them. The
 * sealer makes the messages (webhook-message.ts), and the sender sends them (webhook-outbox.ts). A message tells what
 * changed and never a value, so a receiver that wants values fetches them as a machine.
 */

/** Why the server turned a webhook off: the receiver answered 410, or calls failed for days. */
export type WebhookEnd = 'gone' | 'failing'

export type Webhook = {
  id: string
  url: string
  description: string
  /** Empty for all. */
  events: readonly WebhookEvent[]
  /** Empty for all. */
  bundle_ids: readonly string[]
  is_active: boolean
  created_by: string
  created_at: string
  /** Until when the secret before the current one signs too. */
  old_secret_until: string | null
  failing_since: string | null
  /** Calls in a row that failed. */
  failures: number
  /** The next call, while calls fail. */
  next_at: string | null
  ended_reason: WebhookEnd | null
  last_delivered_at: string | null
  /** Messages that wait. */
  waiting: number
}

export type WebhookDraft = Pick<Webhook, 'url' | 'description' | 'events' | 'bundle_ids' | 'is_active'>

export type WebhookChange = { [Field in keyof WebhookDraft]?: WebhookDraft[Field] | undefined }

export interface WebhookStore {
  insert(
    tenantId: string,
    webhook: WebhookDraft & { id: string; secret: string },
    stamp: Stamp,
  ): Promise<'done' | 'no_bundle' | 'full'>
  /** `now` decides whether the old secret still signs. */
  find(tenantId: string, webhookId: string, now: string): Promise<Webhook | null>
  /** The oldest first. */
  list(tenantId: string, page: WholePage, now: string): Promise<Listed<Webhook>>
  /** A new URL, or turning it on, clears the failures. A change that changes nothing leaves no trace. */
  update(
    tenantId: string,
    webhookId: string,
    change: WebhookChange & { stamp: Stamp },
  ): Promise<'done' | 'absent' | 'no_bundle'>
  delete(tenantId: string, webhookId: string, stamp: Stamp): Promise<boolean>
  /** The current secret becomes the old one, which signs until `oldUntil`. */
  rotate(
    tenantId: string,
    webhookId: string,
    rotation: { secret: string; oldUntil: string; stamp: Stamp },
  ): Promise<boolean>
}

export type WebhookParts = { webhooks: WebhookStore; clock: ClockAndIds; targets: TargetRules }

/** @throws DomainError target_refused · not_found: a bundle · conflict: the workspace has as many as it can have */
export async function createWebhook(
  { webhooks, clock, targets }: WebhookParts,
  caller: Caller,
  draft: WebhookDraft,
): Promise<Webhook & { secret: string }> {
  targets.allowed(draft.url)
  const [id, secret] = [clock.newId(), makeWebhookSecret()]
  const outcome = await webhooks.insert(caller.tenantId, { ...draft, id, secret }, stampOf(caller, clock))
  if (outcome === 'no_bundle') throw bundleNotFound()
  if (outcome === 'full') {
    const message = `a workspace can have ${LIMITS.webhooks} webhooks: delete one that is not used`
    throw new DomainError('conflict', message, { details: { limit: LIMITS.webhooks } })
  }
  return { ...(await readBack(findWebhook({ webhooks, clock }, caller, id))), secret }
}

type Reading = Pick<WebhookParts, 'webhooks' | 'clock'>

/** @throws DomainError not_found, for another tenant's webhook too */
export async function findWebhook(
  { webhooks, clock }: Reading,
  { tenantId }: Caller,
  webhookId: string,
): Promise<Webhook> {
  const webhook = await webhooks.find(tenantId, webhookId, timestamp(clock))
  if (webhook === null) throw webhookNotFound()
  return webhook
}

export function listWebhooks(
  { webhooks, clock }: Reading,
  { tenantId }: Caller,
  { limit = LIMITS.webhooks, offset = 0 }: Page,
): Promise<Listed<Webhook>> {
  return webhooks.list(tenantId, { limit, offset }, timestamp(clock))
}

/** Change a webhook; absent fields stay.
 * @throws DomainError target_refused · not_found (webhook or bundle) */
export async function updateWebhook(
  { webhooks, clock, targets }: WebhookParts,
  caller: Caller,
  { webhookId, change }: { webhookId: string; change: WebhookChange },
): Promise<Webhook> {
  if (change.url !== undefined) targets.allowed(change.url)
  const stamp = stampOf(caller, clock)
  const outcome = await webhooks.update(caller.tenantId, webhookId, { ...change, stamp })
  if (outcome === 'absent') throw webhookNotFound()
  if (outcome === 'no_bundle') throw bundleNotFound()
  return readBack(findWebhook({ webhooks, clock }, caller, webhookId))
}

/** @throws DomainError not_found */
export async function deleteWebhook(
  { webhooks, clock }: Reading,
  caller: Caller,
  webhookId: string,
): Promise<void> {
  const isDeleted = await webhooks.delete(caller.tenantId, webhookId, stampOf(caller, clock))
  if (!isDeleted) throw webhookNotFound()
}

/** Give a webhook a new secret. Both sign for a day, so that the receiver can change at any time within it.
 * @throws DomainError not_found */
export async function rotateWebhookSecret(
  { webhooks, clock }: Reading,
  caller: Caller,
  webhookId: string,
): Promise<{ secret: string; old_secret_until: string }> {
  const secret = makeWebhookSecret()
  const oldUntil = timestamp(clock, TIMES.webhookOverlapSeconds)
  const rotation = { secret, oldUntil, stamp: stampOf(caller, clock) }
  if (!(await webhooks.rotate(caller.tenantId, webhookId, rotation))) throw webhookNotFound()
  return { secret, old_secret_until: oldUntil }
}

export function webhookNotFound(): DomainError {
  return new DomainError('not_found', 'webhook not found')
}
