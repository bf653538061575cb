import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { BundleWithItems } from '../../lib/answers.ts'
import { BUNDLES, restoreBundle, useDeleteBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a bundle is deleted, and says what stays. A bundle without legacy items can be created again later. */
export function DeleteBundleDialog({ bundle, onClose }: { bundle: BundleWithItems; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useDeleteBundle()
  const [, navigate] = useLocation()
  const keys = bundle.items.filter(({ order }) => order !== null).length
  const legacy = bundle.items.length - keys
  const restore = async () => {
    try {
      await restoreBundle(bundle)
    } catch (error) {
      notify({ text: describeFailure(error).message, tone: 'danger' })
    }
    await client.invalidateQueries({ queryKey: BUNDLES })
  }
  const confirm = () =>
    remove.mutate(bundle, {
      onSuccess: () => {
        navigate('/bundles')
        notify({ text: `Deleted ${bundle.name}.`, ...(legacy === 0 ? { undo: () => void restore() } : {}) })
      },
    })
  return (
    <ConfirmDialog
      title={`Delete ${bundle.name}?`}
      action="Delete bundle"
      busy={remove.isPending}
      problem={remove.error === null ? null : describeFailure(remove.error).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {keys === 0
          ? 'It has no attached keys.'
          : `Its ${keys} ${keys === 1 ? 'key stays' : 'keys stay'} in the library.`}{' '}
        Terminals that ask for this bundle by name will find nothing.
      </p>
      {legacy > 0 && (
        <p className="font-medium text-danger">
          {legacy} inline {legacy === 1 ? 'item' : 'items'} will be lost for good:{' '}
          {legacy === 1 ? 'it is' : 'they are'} not in the library.
        </p>
      )}
    </ConfirmDialog>
  )
}
