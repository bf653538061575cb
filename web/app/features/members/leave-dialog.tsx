import type { Me } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useRemoveMember } from '../../lib/people.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

/** Asks before the person leaves the workspace. */
export function LeaveDialog({ me, onClose }: { me: Me; onClose: () => void }) {
  const leave = useRemoveMember()
  return (
    <ConfirmDialog
      title={`Leave ${me.tenant.name}?`}
      action="Leave"
      busy={leave.isPending}
      problem={leave.error === null ? null : describeFailure(leave.error).message}
      // The address without a workspace leads to another one.
      onConfirm={() => leave.mutate(me.user_id, { onSuccess: () => location.assign('/') })}
      onClose={onClose}
    >
      <p>
        You can no longer see or approve anything here. What you created stays. To come back, you need a new
        invitation.
      </p>
    </ConfirmDialog>
  )
}
