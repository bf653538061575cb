import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { Names } from '../key-notes.tsx'
import type { Doubts } from './plan-facts.ts'

type ConfirmDepositProps = {
  openedByLink: boolean
  doubts: Doubts
  confirm: () => void
  cancel: () => void
}

/** Asks once more before a deposit that is probably a mistake or a trap. */
export function ConfirmDeposit({ openedByLink, doubts, confirm, cancel }: ConfirmDepositProps) {
  const { changes, removed } = doubts
  return (
    <ConfirmDialog
      title="Approve anyway?"
      action="Approve anyway"
      busy={false}
      problem={null}
      onConfirm={confirm}
      onClose={cancel}
    >
      {openedByLink && (
        <p>
          A web page linked you here, so another person may have made this request. If you approve, the server
          stores their changes. Did you just run this command yourself?
        </p>
      )}
      {removed.length > 0 && (
        <p>
          Production no longer gets <Names names={removed} />.
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
