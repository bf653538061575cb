import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import type { Dispatcher } from 'undici'

export type CallFacts = {
  method: Dispatcher.HttpMethod
  /** With query, as it is sent. */
  path: string
  body: Uint8Array
}

/** The headers that tell the API who calls. `userId` and `tenantId` may both be empty: this layer itself calls. */
export type SignFor = (
  caller: { userId: string; tenantId: string },
  facts: CallFacts,
) => Record<string, string>

/** @param secret the shared secret that signs
 * @param now epoch milliseconds */
export function createSigner(secret: string, now: () => number): SignFor {
  return ({ userId, tenantId }, facts) => ({
    'x-user-id': userId,
    'x-tenant-id': tenantId,
    'x-signature': `sha256=${signCaller({ userId, tenantId }, secret)}`,
    'x-signature-v2': signRequest(
      { ...facts, userId, tenantId },
      { secret, nowSeconds: Math.floor(now() / 1000), nonce: randomToken() },
    ),
  })
}
