import type { Machine, MachineTrust } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useEndTrust } from '../../lib/machine-proofs.ts'
import { issuerName } from '../../lib/platforms.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

type EndTrustProps = { machine: Machine; trust: MachineTrust; onClose: () => void }

/** Asks before an identity can no longer be the machine. */
export function EndTrustDialog({ machine, trust, onClose }: EndTrustProps) {
  const end = useEndTrust(machine.id)
  const confirm = () =>
    end.mutate(trust.id, {
      onSuccess: () => {
        onClose()
        notify({ text: `Ended an identity of ${issuerName(trust)}.` })
      },
    })
  return (
    <ConfirmDialog
      title={`End this identity of ${issuerName(trust)}?`}
      action="End identity"
      busy={end.isPending}
      problem={end.error === null ? null : describeFailure(end.error).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        The server then refuses its calls. Values that the machine already fetched keep working until you
        change them.
      </p>
    </ConfirmDialog>
  )
}
