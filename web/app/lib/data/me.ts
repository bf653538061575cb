import { useAnswer } from '../calls/use-answer.ts'

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
