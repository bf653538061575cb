import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Names } from './key-notes.tsx'

type SendMoreDialogProps = { unasked: readonly string[]; onConfirm: () => void; onClose: () => void }

/** Asks before more is handed over than the terminal named. */
export function SendMoreDialog({ unasked, onConfirm, onClose }: SendMoreDialogProps) {
  return (
    <ConfirmDialog
      title="Hand over more than was asked for?"
      action="Approve all the same"
      busy={false}
      problem={null}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>
        Not asked for: <Names names={unasked} />.
      </p>
      <p>
        The keyferry client refuses such a delivery and uses none of it: only another client could take it.
      </p>
    </ConfirmDialog>
  )
}
