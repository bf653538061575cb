import type { Role, Tenant } from '../calls/answers.ts'
import { type Called, call } from '../calls/call.ts'
import { useAnswer } from '../calls/use-call.ts'
import { withDistinctNames } from '../words/workspace-names.ts'

/** Who the person is, and the tenant and role they work in. */
export const useMe = () => useAnswer('getMe', {}, { staleTime: 60_000 })

/** Says whether the person may call an operation in this workspace, as the server told; false until that is
 * known. What depends on a bundle, key or member as well is in the `may_…` of its answer. */
export function useMay(): (operation: Called) => boolean {
  const may = useMe().data?.may ?? []
  return (operation) => may.includes(operation)
}

/** The current session: who is signed in, if anyone, and how people sign in. */
export const useSession = () => useAnswer('getSession', {}, { staleTime: 60_000 })

/** How a role is called on the pages. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member' }

/** The person's workspaces, by name; equal names get the end of the id. */
export const useTenants = () =>
  useAnswer('listTenants', {}, { select: withDistinctNames<Tenant>, staleTime: 60_000 })

/** End this session, or all that the person has. @returns the address to go to: ours, or the identity provider's
 * sign-out */
export async function signOut(where: 'here' | 'everywhere'): Promise<string> {
  return (await call(where === 'here' ? 'signOut' : 'endAllSessions', {})).redirect_to
}
