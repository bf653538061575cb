import type { Key, KeyVersion } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useDestroyVersion } from '../../lib/versions.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

type DestroyDialogProps = { item: Key; version: KeyVersion; onClose: () => void }

/** Asks before the value of an older version is destroyed. */
export function DestroyDialog({ item, version: { version }, onClose }: DestroyDialogProps) {
  const destroy = useDestroyVersion(item.id)
  return (
    <ConfirmDialog
      title={`Destroy version ${version} of ${item.name}?`}
      action={`Destroy version ${version}`}
      busy={destroy.isPending}
      problem={destroy.error === null ? null : describeFailure(destroy.error).message}
      onConfirm={() =>
        destroy.mutate(version, {
          onSuccess: () => {
            onClose()
            notify({ text: `Destroyed version ${version} of ${item.name}.` })
          },
        })
      }
      onClose={onClose}
    >
      <p>
        The value is deleted and cannot be restored. Who set it and when stays in the history. Holders keep
        what they were given.
      </p>
    </ConfirmDialog>
  )
}
