import type { Me } from '../../lib/calls/answers.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { useRemoveMember } from './use-remove-member.ts'

/** Asks before the person leaves the workspace. */
export function LeaveDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const leave = useRemoveMember(me.user_id)
  return (
    <ConfirmChange
      title={`Leave ${me.tenant.name}?`}
      action="Leave"
      change={leave}
      input={undefined}
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
