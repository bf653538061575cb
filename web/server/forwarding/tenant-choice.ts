import { WORKSPACE_HEADER, WorkspaceHeaders } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../http/refusal.ts'
import type { Person } from '../identity/identity.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'

/** The tenant that the call names in its `Keyferry-Workspace` header; null: the call has no such header.
 * The API checks that the person is a member.
 * @throws Refusal invalid: not one tenant id */
export function namedTenant({ headers }: FastifyRequest): string | null {
  const named = WorkspaceHeaders.safeParse(headers)
  if (named.success) return named.data[WORKSPACE_HEADER] ?? null
  throw new Refusal(400, 'invalid', 'Keyferry-Workspace must be the id of one workspace')
}

/** The tenant that an answer names, or null. */
export function tenantOfAnswer(text: string): string | null {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('tenant_id' in answer)) return null
  return typeof answer.tenant_id === 'string' ? answer.tenant_id : null
}

/** Whether the person is still a member of their current tenant. Asks the API as a member of the personal one. */
export async function isMember(api: ApiConnection, person: Person): Promise<boolean> {
  const call = api.callFor({ userId: person.userId, tenantId: person.personalTenantId })
  return (await call('GET', '/api/v1/tenants')).some(({ id }) => id === person.tenantId)
}
