import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'

type ConfirmNamesProps = {
  openedByLink: boolean
  /** The chosen bundle, where the terminal requested another. */
  other: { requested: string; chosen: string } | null
  confirm: () => void
  cancel: () => void
}

/** Asks once more before a list goes to a terminal that may be another person's, or shows another bundle. */
export function ConfirmNames({ openedByLink, other, confirm, cancel }: ConfirmNamesProps) {
  return (
    <ConfirmDialog
      title="List anyway?"
      action="List anyway"
      busy={false}
      problem={null}
      onConfirm={confirm}
      onClose={cancel}
    >
      {openedByLink && (
        <p>
          A web page linked you here. If you approve, the terminal that made this request gets the names, and
          it may belong to someone else. Did you just run this command yourself?
        </p>
      )}
      {other !== null && (
        <p>
          The terminal requested <bdi className="font-mono">{other.requested}</bdi>. You are about to list{' '}
          <bdi className="font-mono">{other.chosen}</bdi>.
        </p>
      )}
    </ConfirmDialog>
  )
}
