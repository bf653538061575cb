import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Names } from '../key-notes.tsx'

type ConfirmDepositProps = {
  openedByLink: boolean
  /** Other bundles whose values change. */
  changes: readonly string[]
  confirm: () => void
  cancel: () => void
}

/** Asks once more before a deposit that is probably a mistake or a trap. */
export function ConfirmDeposit({ openedByLink, changes, confirm, cancel }: ConfirmDepositProps) {
  return (
    <ConfirmDialog
      title="Store anyway?"
      action="Store anyway"
      busy={false}
      problem={null}
      onConfirm={confirm}
      onClose={cancel}
    >
      {openedByLink && (
        <p>
          A web page linked you here. If you approve, the values of the terminal that made this request are
          stored, and it may belong to someone else. Did you just run this command yourself?
        </p>
      )}
      {changes.length > 0 && (
        <p>
          This changes what {changes.length === 1 ? 'another bundle delivers' : 'other bundles deliver'}:{' '}
          <Names names={changes} />.
        </p>
      )}
    </ConfirmDialog>
  )
}
