import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import type { Dispatcher } from 'undici'

type CallToSign = {
  method: Dispatcher.HttpMethod
  /** With the query, as it is sent. */
  path: string
  body: Uint8Array
  /** The address of the client behind this call; null: this layer calls for itself. */
  clientAddress: string | null
}

/** The person behind a call, when they signed in (epoch milliseconds; absent: the API does not ask), and the epoch that
 * the session began in (absent: it is another server's); null: this layer calls for itself. */
export type SignedFor = {
  userId: string
  tenantId: string
  signedInAtMs?: number | undefined
  epoch?: number | undefined
} | null

/** The headers that prove to the API that a call comes from this layer, and for whom. */
export type Sign = (caller: SignedFor, facts: CallToSign) => Record<string, string>

/** @param current the shared secret that signs
 * @param now epoch milliseconds */
export function createSigner(current: () => string, now: () => number): Sign {
  return (caller, facts) => {
    const { userId, tenantId, signedInAtMs, epoch: began = '' } = caller ?? { userId: '', tenantId: '' }
    const secret = current()
    const stamp = { secret, nowSeconds: Math.floor(now() / 1000), nonce: randomToken() }
    const clientAddress = facts.clientAddress ?? ''
    const signedInAt = signedInAtMs === undefined ? '' : String(Math.floor(signedInAtMs / 1_000))
    const epoch = String(began)
    const signed = signRequest({ ...facts, clientAddress, userId, tenantId, signedInAt, epoch }, stamp)
    const all: Record<string, string> = {
      ...(clientAddress === '' ? {} : { 'x-client-address': clientAddress }),
      ...(signedInAt === '' ? {} : { 'x-signed-in-at': signedInAt }),
      ...(epoch === '' ? {} : { 'x-session-epoch': epoch }),
      'x-signature-v2': signed,
    }
    if (!caller) return all
    const signature = `sha256=${signCaller(caller, secret)}`
    return { ...all, 'x-user-id': userId, 'x-tenant-id': tenantId, 'x-signature': signature }
  }
}
