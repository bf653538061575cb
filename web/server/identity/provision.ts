import type { EnsureUser } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { callerHeaders } from '../http/request-headers.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Person } from './identity.ts'

/** The person of a profile, created at the first sign-in: without a workspace of their own if they follow an
 * invitation. Later sign-ins update the e-mail address and the groups.
 * @param groups what the provider's claim lists; null: it says nothing
 * @throws CallError forbidden: the account is disabled here · Refusal unavailable */
export async function provision(
  api: ApiConnection,
  request: FastifyRequest,
  profile: z.input<typeof EnsureUser>,
  groups: string[] | null = null,
): Promise<Required<Pick<Person, 'userId' | 'personalTenantId' | 'epoch'>>> {
  const headers = callerHeaders(request)
  const user = await api.call('POST', '/api/v1/users/ensure', { body: profile, headers })
  if (!user.created) {
    const { idp_user_id, email, email_verified, as_of } = profile
    const body = { email, email_verified, as_of, ...(groups && { groups }) }
    await api.call('PUT', '/api/v1/users/{idp_user_id}', { params: { idp_user_id }, body, headers })
  }
  return { userId: user.user_id, personalTenantId: user.tenant_id, epoch: user.epoch ?? 0 }
}
