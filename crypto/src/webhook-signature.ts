import { createHmac, randomBytes } from 'node:crypto'

/*
 * Signatures of webhooks by the Standard Webhooks convention: HMAC-SHA256 over id, timestamp and body, joined by dots.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const PREFIX = 'whsec_'

/** A new secret: `whsec_` and 256 random bits as base64. */
export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

/** `timestamp` in seconds since 1970. */
export type SignedWebhook = { id: string; timestamp: number; body: string }

/** The header `webhook-signature`: one signature for each secret, so that a receiver with any of them can verify. */
export function webhookSignatures(
  { id, timestamp, body }: SignedWebhook,
  secrets: readonly string[],
): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets
    .map((secret) => `v1,${createHmac('sha256', bytesOf(secret)).update(signed).digest('base64')}`)
    .join(' ')
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64')
}
