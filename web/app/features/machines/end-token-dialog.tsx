import type { Machine, MachineToken } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useEndToken } from '../../lib/machine-proofs.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

type EndTokenProps = { machine: Machine; token: MachineToken; onClose: () => void }

/** Asks before a token ends. */
export function EndTokenDialog({ machine, token, onClose }: EndTokenProps) {
  const end = useEndToken(machine.id)
  const confirm = () =>
    end.mutate(token.id, {
      onSuccess: () => {
        onClose()
        notify({ text: `Ended the token …${token.hint}.` })
      },
    })
  return (
    <ConfirmDialog
      title={`End the token …${token.hint}?`}
      action="End token"
      busy={end.isPending}
      problem={end.error === null ? null : describeFailure(end.error).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        The server then refuses it. Values that the machine already fetched keep working until you change
        them.
      </p>
    </ConfirmDialog>
  )
}
