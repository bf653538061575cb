import { shown, useChange } from '../../lib/calls/use-change.ts'

/** Remove a member, or leave the workspace. */
export function useRemoveMember(user_id: string) {
  return useChange(
    'removeMember',
    { user_id },
    { shows: shown('listMembers', {}, (members) => members.filter((each) => each.user_id !== user_id)) },
  )
}
