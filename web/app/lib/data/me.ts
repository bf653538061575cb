import type { Role, Tenant } from '../calls/answers.ts'
import { useAnswer } from '../calls/use-call.ts'
import { toldApart } from '../words/workspace-names.ts'

/** Who the person is, and the tenant and role they work in. */
export const useMe = () => useAnswer('getMe', {}, { staleTime: 60_000 })

/** Says whether the person may change a bundle: owners change every bundle, members those they created. */
export function useCanEdit(): (bundle: { created_by: string }) => boolean {
  const me = useMe().data
  return ({ created_by }) => me !== undefined && (me.role === 'owner' || me.user_id === created_by)
}

/** Whether the person owns the current tenant; false until that is known. */
export function useIsOwner(): boolean {
  return useMe().data?.role === 'owner'
}

/** The current session: who is signed in, if anyone, and how people sign in. */
export const useSession = () => useAnswer('getSession', {}, { staleTime: 60_000 })

/** How a role is called on the pages. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: 'Owner', member: 'Member' }

/** The person's workspaces, by name; equal names get the end of the id. */
export const useTenants = () => useAnswer('listTenants', {}, { select: toldApart<Tenant>, staleTime: 60_000 })
