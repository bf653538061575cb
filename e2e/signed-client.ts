import { createClient, type EndpointClient } from '@keyferry/contract/client'
import { type CallerIds, signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'

export type SignedClient = {
  readonly identity: CallerIds
  /** What each call carries. */
  readonly headers: Readonly<Record<string, string>>
  readonly call: EndpointClient
}

/** A caller of the internal API as the web-facing layer is one: it says who the person is, and signs. */
export function signedClient(address: string, secret: string, identity: CallerIds): SignedClient {
  const headers = {
    'x-user-id': identity.userId,
    'x-tenant-id': identity.tenantId,
    'x-signature': `sha256=${signCaller(identity, secret)}`,
  }
  const signed: typeof fetch = (url, init) => {
    const sent = new Headers(init?.headers)
    for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    return fetch(url, { ...init, headers: sent })
  }
  return { identity, headers, call: createClient(address, signed) }
}

/** A person with their own workspace; creates it if there is none.
 * @param name letters and digits */
export async function ownerNamed(name: string, address: string, secret: string): Promise<SignedClient> {
  const body = { idp_user_id: `user_${name}`, email: `${name}@example.com`, email_verified: true }
  const path = '/api/v1/users/ensure'
  const facts = { method: 'POST', path, body: Buffer.from(JSON.stringify(body)), clientAddress: '' }
  const stamp = { secret, nowSeconds: Math.floor(Date.now() / 1_000), nonce: randomToken() }
  const headers = { 'x-signature-v2': signRequest({ ...facts, userId: '', tenantId: '' }, stamp) }
  const { user_id, tenant_id } = await createClient(address)('POST', path, { body, headers })
  return signedClient(address, secret, { userId: user_id, tenantId: tenant_id })
}
