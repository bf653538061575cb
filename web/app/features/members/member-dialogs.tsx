import { useState } from 'react'
import type { Me, Member } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a member is removed, and ends in the values that they were given and that are still current. */
export function RemoveMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useRemoveMember(member.user_id)
  const holdings = useAnswer('listHoldings', { user_id: member.user_id, limit: 1_000 })
  const [isRemoved, setRemoved] = useState(false)
  const given = holdings.data === undefined ? null : stillCurrent(holdings.data)
  const end = () => {
    if (given === null || given.length > 0) return setRemoved(true)
    onClose()
    notify({ text: `Removed ${member.username}. They hold no current value.` })
  }
  if (isRemoved) {
    return (
      <GivenValues
        title={`Removed ${member.username}`}
        who="They were"
        holdings={holdings.data}
        query={holdings}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmChange
      title={`Remove ${member.username}?`}
      action="Remove member"
      change={remove}
      onDone={end}
      onClose={onClose}
    >
      <p>{member.username} can no longer see or approve anything in this workspace.</p>
      <p>
        {given === null || given.length === 0
          ? 'They keep the values that they received.'
          : `They were given ${given.length} ${given.length === 1 ? 'value that is' : 'values that are'} still current. The list follows.`}
      </p>
    </ConfirmChange>
  )
}

/** Asks before the person leaves the workspace. */
export function LeaveDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const leave = useRemoveMember(me.user_id)
  return (
    <ConfirmChange
      title={`Leave ${me.tenant.name}?`}
      action="Leave"
      change={leave}
      // The address without a workspace leads to another one.
      onDone={() => location.assign('/')}
      onClose={onClose}
    >
      <p>
        You can no longer see or approve anything here. What you created stays. To come back, you need a new
        invitation.
      </p>
    </ConfirmChange>
  )
}

/** Remove a member, or leave the workspace. */
function useRemoveMember(user_id: string) {
  return useChange(
    'removeMember',
    { user_id },
    { shows: shown('listMembers', {}, (members) => members.filter((each) => each.user_id !== user_id)) },
  )
}
