import type { Key, KeyVersion } from '../../lib/calls/answers.ts'
import { KEY } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'

type DestroyDialogProps = { item: Key; version: KeyVersion; onClose: () => void }

/** Asks before the value of an older version is destroyed. */
export function DestroyDialog({ item, version: { version }, onClose }: DestroyDialogProps) {
  const given = { key_id: item.id, version: String(version) }
  const destroy = useChange('destroyKeyVersion', given, { refreshes: KEY })
  return (
    <ConfirmChange
      title={`Destroy version ${version} of ${item.name}?`}
      action={`Destroy version ${version}`}
      change={destroy}
      input={undefined}
      done={`Destroyed version ${version} of ${item.name}.`}
      onClose={onClose}
    >
      <p>
        The value is deleted and cannot be restored. Who set it and when stays in the history. Holders keep
        what they were given.
      </p>
    </ConfirmChange>
  )
}
