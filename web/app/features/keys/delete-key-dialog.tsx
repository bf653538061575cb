import { useLocation } from 'wouter'
import type { KeyWithBundles } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useDeleteKey } from '../../lib/keys.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a key is deleted, and names the bundles that lose it. */
export function DeleteKeyDialog({ item, onClose }: { item: KeyWithBundles; onClose: () => void }) {
  const remove = useDeleteKey()
  const [, navigate] = useLocation()
  const { bundles } = item
  const confirm = () =>
    remove.mutate(item, {
      onSuccess: () => {
        navigate('/keys')
        notify({ text: `Deleted ${item.name}.` })
      },
    })
  return (
    <ConfirmDialog
      title={`Delete ${item.name}?`}
      action="Delete key"
      busy={remove.isPending}
      problem={remove.error === null ? null : describeFailure(remove.error).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>The value is lost for good. This cannot be undone.</p>
      {bundles.length > 0 && (
        <>
          <p>
            This changes {bundles.length} {bundles.length === 1 ? 'bundle' : 'bundles'}:
          </p>
          <ul className="max-h-40 list-disc overflow-auto pl-5 font-mono text-sm text-ink">
            {bundles.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}
