import type { ApiConnection } from './api-connection.ts'
import type { Person } from './identity/identity.ts'
import type { Sign } from './signed-call.ts'

/** The tenant that an answer names, or null. */
export function tenantOfAnswer(text: string): string | null {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('tenant_id' in answer)) return null
  return typeof answer.tenant_id === 'string' ? answer.tenant_id : null
}

/** Whether the person still belongs to the tenant worked in; asked as a member of the personal one. */
export async function isMember(api: ApiConnection, sign: Sign, person: Person): Promise<boolean> {
  const path = '/api/v1/tenants'
  const caller = { userId: person.userId, tenantId: person.personalTenantId }
  const headers = sign(caller, { method: 'GET', path, body: new Uint8Array() })
  const tenants = await api.call('GET', path, { headers })
  return tenants.some((tenant) => tenant.id === person.tenantId)
}
