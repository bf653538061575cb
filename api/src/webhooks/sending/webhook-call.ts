import { WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { webhookSignatures } from '@keyferry/crypto/webhook-signature'
import type { Guard } from '../../outgoing/guard.ts'
import { guardedPost, OutgoingFailure } from '../../outgoing/guarded-call.ts'
import type { CallOutcome, OutgoingMessage } from '../domain/webhook-outbox.ts'

export type WebhookCall = {
  message: Pick<OutgoingMessage, 'id' | 'body' | 'url' | 'secrets'>
  /** Ends the call early. */
  signal: AbortSignal
}

type CallParts = { guard: Guard; now: () => Date; userAgent: string }

/** Send one message to its receiver. Each attempt has its own timestamp and signature, so a late one is not taken for a
 * replay. A redirect is a failure: the receiver's own answer counts, and nothing of it but its status is kept. */
export async function callReceiver(
  { guard, now, userAgent }: CallParts,
  { message, signal }: WebhookCall,
): Promise<CallOutcome | null> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { url, secrets } = message
  const timestamp = Math.floor(now().getTime() / 1_000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': webhookSignatures({ ...message, timestamp }, secrets),
  }
  const timeoutMs = WEBHOOK_TIMES.callSeconds * 1_000
  try {
    const { status, retryAfter } = await guardedPost(guard, {
      url,
      headers,
      body: message.body,
      timeoutMs,
      signal,
    })
    const isAccepted = status >= 200 && status < 300
    return {
      status,
      word: isAccepted ? null : 'http',
      ms: ms(),
      retryAfter: secondsIn(retryAfter, now()),
    }
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    // The server ends: no failure of the receiver.
    if (signal.aborted) return null
    return { status: null, word: error.word, ms: ms(), retryAfter: null }
  }
}

/** The header Retry-After: seconds, or a date. */
function secondsIn(retryAfter: string | null, now: Date): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1_000))
}
