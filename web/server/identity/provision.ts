import type { ApiConnection } from '../api-connection.ts'
import type { Person } from './identity.ts'

/** Who the API is to know: `idp_user_id`, `email`, and a name where there is one. */
export type Profile = { idp_user_id: string; email: string; name?: string }

/** The person of a profile, made on first sight; an e-mail address that has changed since is taken over.
 * @throws CallError forbidden: the person is switched off here · Refusal unavailable */
export async function provision(api: ApiConnection, profile: Profile): Promise<Omit<Person, 'tenantId'>> {
  const user = await api.call('POST', '/api/v1/users/ensure', { body: profile })
  if (!user.created) {
    const { idp_user_id, email } = profile
    await api.call('PUT', '/api/v1/users/{idp_user_id}', { params: { idp_user_id }, body: { email } })
  }
  return { userId: user.user_id, personalTenantId: user.tenant_id }
}
