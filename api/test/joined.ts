import { randomUUID } from 'node:crypto'
import type { Identity, TestApi } from './api.ts'

/** A new person who belongs to the owner's workspace, and acts there. */
export async function joinWorkspace(
  api: TestApi,
  owner: Identity,
  role: 'member' | 'owner',
): Promise<Identity & { idpUserId: string }> {
  const idpUserId = `user_${randomUUID()}`
  const email = `${randomUUID()}@example.com`
  const { json } = await api.call('ensureUser', {
    body: { idp_user_id: idpUserId, email, email_verified: true },
  })
  const invited = await api.call('createInvitation', { as: owner, body: { email, role } })
  const person = { userId: json.user_id, tenantId: json.tenant_id }
  await api.call('acceptInvitation', { as: person, body: { token: invited.json.token } })
  return { userId: person.userId, tenantId: owner.tenantId, idpUserId }
}
