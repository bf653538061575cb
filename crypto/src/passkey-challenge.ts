import { createHmac } from 'node:crypto'

/** The challenge of one WebAuthn ceremony: HMAC-SHA256 over what the ceremony is bound to. Every node with the secret
 * derives the same one, and no one without the key can derive it.
 * @param facts texts without a NUL
 * @returns 32 bytes as base64url */
export function passkeyChallenge(facts: readonly string[], secret: string): string {
  return createHmac('sha256', secret)
    .update(['keyferry passkey challenge v1', ...facts].join('\0'))
    .digest('base64url')
}
