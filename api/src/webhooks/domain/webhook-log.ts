import { WEBHOOK_TIMES, type WebhookMessageList } from '@keyferry/contract/webhooks'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { Caller } from '../../domain/people/membership.ts'
import { webhookNotFound } from './webhook.ts'

/*
 * What was sent to a receiver, and what waits to be sent. An owner sends a message again, or a test message, which has
 * no event behind it.
 */

export type WebhookMessage = z.output<typeof WebhookMessageList>[number]

/** A message of a webhook to send at once. */
export type SentNow = { webhookId: string; messageId: string; now: string; giveUpAt: string }

export type WantedMessages = {
  webhookId: string
  state: WebhookMessage['state'] | undefined
  page: WholePage
}

export interface WebhookLogStore {
  /** The latest first.
   * @throws DomainError not_found */
  list(tenantId: string, wanted: WantedMessages): Promise<ListPage<WebhookMessage>>
  /** Have a test message sent. While one waits, no other is made.
   * @returns the id of the message that will be sent */
  test(tenantId: string, message: SentNow & { body: string }): Promise<{ id: string } | 'absent' | 'off'>
  resend(tenantId: string, message: SentNow): Promise<'done' | 'absent' | 'off' | 'sending'>
}

export type WebhookLogParts = { webhookLog: WebhookLogStore; clock: ClockAndIds }

/** Send a message that says nothing, to try the receiver.
 * @returns the message's id
 * @throws DomainError not_found · conflict: the webhook is off */
export async function testWebhook(
  { webhookLog, clock }: WebhookLogParts,
  { tenantId, userId }: Caller,
  webhookId: string,
): Promise<string> {
  const now = timestamp(clock)
  const actor = { kind: 'user', id: userId }
  const body = JSON.stringify({ type: 'webhook.test', timestamp: now, data: { seq: null, actor } })
  const message = { webhookId, messageId: clock.newId(), now, giveUpAt: giveUpAt(clock), body }
  const outcome = await webhookLog.test(tenantId, message)
  if (outcome === 'absent') throw webhookNotFound()
  if (outcome === 'off') throw isOff()
  return outcome.id
}

/** Send a message again, with the id and the body that it had.
 * @throws DomainError not_found · conflict: the webhook is off, or the message is being sent */
export async function resendWebhookMessage(
  { webhookLog, clock }: WebhookLogParts,
  { tenantId }: Caller,
  { webhookId, messageId }: { webhookId: string; messageId: string },
): Promise<void> {
  const message = { webhookId, messageId, now: timestamp(clock), giveUpAt: giveUpAt(clock) }
  const outcome = await webhookLog.resend(tenantId, message)
  if (outcome === 'absent') throw new DomainError('not_found', 'message not found')
  if (outcome === 'off') throw isOff()
  if (outcome === 'sending') throw new DomainError('conflict', 'this message is being sent: wait for its end')
}

function giveUpAt(clock: ClockAndIds): string {
  return timestamp(clock, WEBHOOK_TIMES.triedSeconds)
}

function isOff(): DomainError {
  return new DomainError('conflict', 'this webhook is off: turn it on first')
}
