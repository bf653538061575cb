import { WEBHOOK_LIMITS, WEBHOOK_TIMES, type Webhook as WebhookSchema } from '@keyferry/contract/webhooks'
import { makeWebhookSecret } from '@keyferry/crypto/webhook-signature'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError, readBack } from '../../domain/base/errors.ts'
import type { ExpectedChange } from '../../domain/base/expected.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { TargetRules } from '../../domain/base/outgoing-target.ts'
import { type Stamp, stampOf } from '../../domain/base/stamp.ts'
import type { Caller } from '../../domain/people/membership.ts'

/*
 * A webhook is an address outside that the server calls when something changes in a workspace. Owners manage them. The
 * sealer makes the messages (webhook-message.ts), and the sender sends them (webhook-outbox.ts). A message tells what
 * changed and never a value, so a receiver that wants values fetches them as a machine.
 */

export type Webhook = z.output<typeof WebhookSchema>
export type WebhookEnd = NonNullable<Webhook['ended_reason']>

export type WebhookDraft = Pick<Webhook, 'url' | 'description' | 'events' | 'bundle_ids' | 'is_active'>

export type NewWebhook = WebhookDraft & { id: string; secret: string }

export type WebhookChange = ExpectedChange<WebhookDraft>

export interface WebhookStore {
  /** @throws DomainError not_found: a bundle · conflict: the workspace is full */
  insert(webhook: NewWebhook, stamp: Stamp): Promise<void>
  /** `now` decides whether the old secret still signs.
   * @throws DomainError not_found, for another tenant's webhook too */
  find(tenantId: string, webhookId: string, now: string): Promise<Webhook>
  /** The oldest first. */
  list(tenantId: string, page: WholePage, now: string): Promise<ListPage<Webhook>>
  /** A new URL, or turning it on, clears the failures. A change that changes nothing leaves no trace.
   * @throws DomainError not_found (webhook or bundle) · changed */
  update(change: WebhookChange & { webhookId: string }, stamp: Stamp): Promise<void>
  /** @throws DomainError not_found */
  delete(webhookId: string, stamp: Stamp): Promise<void>
  /** The current secret becomes the old one, which signs until `oldUntil`.
   * @throws DomainError not_found */
  rotate(rotation: SecretRotation, stamp: Stamp): Promise<void>
}

export type SecretRotation = { webhookId: string; secret: string; oldUntil: string }

export type WebhookParts = { webhooks: WebhookStore; clock: ClockAndIds; targets: TargetRules }

/** @throws DomainError target_refused · not_found: a bundle · conflict: the workspace has as many as it can have */
export async function createWebhook(
  { webhooks, clock, targets }: WebhookParts,
  caller: Caller,
  draft: WebhookDraft,
): Promise<Webhook & { secret: string }> {
  targets.allowed(draft.url)
  const [id, secret] = [clock.newId(), makeWebhookSecret()]
  await webhooks.insert({ ...draft, id, secret }, stampOf(caller, clock))
  return { ...(await readBack(webhooks.find(caller.tenantId, id, timestamp(clock)))), secret }
}

/** Change a webhook; absent fields stay.
 * @throws DomainError target_refused · not_found (webhook or bundle) · changed */
export async function updateWebhook(
  { webhooks, clock, targets }: WebhookParts,
  caller: Caller,
  { webhookId, change }: { webhookId: string; change: WebhookChange },
): Promise<Webhook> {
  if (change.url !== undefined) targets.allowed(change.url)
  await webhooks.update({ ...change, webhookId }, stampOf(caller, clock))
  return readBack(webhooks.find(caller.tenantId, webhookId, timestamp(clock)))
}

/** Give a webhook a new secret. Both sign for a day, so that the receiver can change at any time within it.
 * @throws DomainError not_found */
export async function rotateWebhookSecret(
  { webhooks, clock }: WebhookParts,
  caller: Caller,
  webhookId: string,
): Promise<{ secret: string; old_secret_until: string }> {
  const secret = makeWebhookSecret()
  const oldUntil = timestamp(clock, WEBHOOK_TIMES.overlapSeconds)
  await webhooks.rotate({ webhookId, secret, oldUntil }, stampOf(caller, clock))
  return { secret, old_secret_until: oldUntil }
}

export function webhookNotFound(): DomainError {
  return new DomainError('not_found', 'webhook not found')
}

export function tooManyWebhooks(): DomainError {
  const message = `a workspace can have ${WEBHOOK_LIMITS.webhooks} webhooks: delete one that is not used`
  return new DomainError('conflict', message, { details: { limit: WEBHOOK_LIMITS.webhooks } })
}
