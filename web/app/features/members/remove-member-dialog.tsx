import type { Member } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useRemoveMember } from '../../lib/people.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a member is removed, and says what that does not take back. */
export function RemoveMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useRemoveMember()
  return (
    <ConfirmDialog
      title={`Remove ${member.username}?`}
      action="Remove member"
      busy={remove.isPending}
      problem={remove.error === null ? null : describeFailure(remove.error).message}
      onConfirm={() =>
        remove.mutate(member.user_id, {
          onSuccess: () => {
            onClose()
            notify({ text: `Removed ${member.username}.` })
          },
        })
      }
      onClose={onClose}
    >
      <p>
        {member.email} can no longer see or approve anything in this workspace. Values that were delivered
        before stay known: change those that must stay secret.
      </p>
    </ConfirmDialog>
  )
}
