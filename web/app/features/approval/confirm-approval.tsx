import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { Doubts } from './doubts.ts'
import { Names } from './key-notes.tsx'

type ConfirmApprovalProps = {
  doubts: Doubts
  names: { chosen: string; requested: string }
  onConfirm: () => void
  onClose: () => void
}

/** Asks once more before an approval that is probably a mistake or a trap, with every reason. */
export function ConfirmApproval({ doubts, names, onConfirm, onClose }: ConfirmApprovalProps) {
  const { openedByLink, otherBundle, unasked, leftOut } = doubts
  return (
    <ConfirmDialog
      title="Approve anyway?"
      action="Approve anyway"
      busy={false}
      problem={null}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {openedByLink && (
        <p>
          A web page linked you here. If you approve, the terminal that made this request gets the values, and
          it may belong to someone else. Did you just run this command yourself?
        </p>
      )}
      {otherBundle && (
        <p>
          The terminal requested <bdi className="font-mono">{names.requested}</bdi>. You are about to share{' '}
          <bdi className="font-mono">{names.chosen}</bdi>.
        </p>
      )}
      {unasked.length > 0 && (
        <p>
          Not requested: <Names names={unasked} />. The keyferry client refuses such a delivery; only another
          client could use it.
        </p>
      )}
      {leftOut.length > 0 && (
        <p>
          Required, but not selected: <Names names={leftOut} />. The terminal will show that{' '}
          {leftOut.length === 1 ? 'it is' : 'they are'} missing.
        </p>
      )}
    </ConfirmDialog>
  )
}
