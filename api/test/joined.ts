import { randomUUID } from 'node:crypto'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import { type Identity, SECRET, type TestApi } from './api.ts'

/** A new person who belongs to the owner's workspace, and acts there. */
export async function joinWorkspace(
  api: TestApi,
  owner: Identity,
  role: 'member' | 'owner',
  limit: { limited_to?: string[] } = {},
): Promise<Identity & { idpUserId: string }> {
  const idpUserId = `user_${randomUUID()}`
  const email = `${randomUUID()}@example.com`
  const { json } = await api.call('ensureUser', {
    body: { idp_user_id: idpUserId, email, email_verified: true },
  })
  const invited = await api.call('createInvitation', { as: owner, body: { email, role, ...limit } })
  const person = { userId: json.user_id, tenantId: json.tenant_id }
  await api.call('acceptInvitation', { as: person, body: { token: invited.json.token } })
  return { userId: person.userId, tenantId: owner.tenantId, idpUserId }
}

/** The signature of the web-facing layer for its own calls: over the whole call, without a user. */
export function layerHeaders(
  path: string,
  body: unknown,
  caller = { userId: '', tenantId: '' },
): Record<string, string> {
  const facts = { method: 'PUT', path, body: Buffer.from(JSON.stringify(body)), clientAddress: '', ...caller }
  const terms = { secret: SECRET, nowSeconds: Math.floor(Date.now() / 1000), nonce: randomToken() }
  return { 'x-signature-v2': signRequest(facts, terms) }
}
