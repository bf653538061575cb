import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import type { Dispatcher } from 'undici'

type CallFacts = {
  method: Dispatcher.HttpMethod
  /** With query, as it is sent. */
  path: string
  body: Uint8Array
  /** Of the client that this layer calls for; null: this layer calls for itself. */
  clientAddress: string | null
}

/** The person a call is made for; null: nobody, only this layer itself. */
export type SignedFor = { userId: string; tenantId: string } | null

/** The headers that tell the API that a call comes from this layer, and for whom. */
export type Sign = (caller: SignedFor, facts: CallFacts) => Record<string, string>

/** @param secret the shared secret that signs
 * @param now epoch milliseconds */
export function createSigner(secret: string, now: () => number): Sign {
  return (caller, facts) => {
    const { userId, tenantId } = caller ?? { userId: '', tenantId: '' }
    const terms = { secret, nowSeconds: Math.floor(now() / 1000), nonce: randomToken() }
    const clientAddress = facts.clientAddress ?? ''
    const signed = signRequest({ ...facts, clientAddress, userId, tenantId }, terms)
    const address: Record<string, string> = clientAddress === '' ? {} : { 'x-client-address': clientAddress }
    const whole = { ...address, 'x-signature-v2': signed }
    if (!caller) return whole
    const signature = `sha256=${signCaller(caller, secret)}`
    return { ...whole, 'x-user-id': userId, 'x-tenant-id': tenantId, 'x-signature': signature }
  }
}
