import { isProduction } from '@keyferry/contract/production'
import type { BundleWithItems } from '../../../lib/calls/answers.ts'
import { useAnswer, useChange, useSteps, without } from '../../../lib/calls/use-call.ts'
import { restoreBundle } from '../../../lib/data/bundles.ts'
import { counted } from '../../../lib/words/counted.ts'
import { EditBundleDialog } from '../../../ui/bundle-forms.tsx'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'
import { failing } from '../../../ui/toast-store.ts'

export type EnvironmentDialog = 'edit' | 'delete'

type EnvironmentDialogsProps = { bundleId: string; open: EnvironmentDialog; onClose: () => void }

/** The dialogs about an environment as a whole. */
export function EnvironmentDialogs({ bundleId, open, onClose }: EnvironmentDialogsProps) {
  const bundle = useAnswer('getBundle', { bundle_id: bundleId }).data
  if (bundle === undefined) return null
  const parts = { bundle, onClose }
  return open === 'edit' ? <EditBundleDialog {...parts} /> : <DeleteBundleDialog {...parts} />
}

/** Asks before a bundle is deleted, and says what stays. A bundle without legacy items can be created again later. */
function DeleteBundleDialog({ bundle, onClose }: { bundle: BundleWithItems; onClose: () => void }) {
  const shows = without('listBundles', { facts: '1' }, bundle.id)
  const remove = useChange('deleteBundle', { bundle_id: bundle.id }, { shows })
  const restore = useSteps(restoreBundle, { refreshes: ['listBundles'] })
  const keys = bundle.items.filter(({ order }) => order !== null).length
  const legacy = bundle.items.length - keys
  // The bundle's page is unmounted by then, so callbacks of a plain `mutate` do not run.
  const undo = () => void restore.mutateAsync(bundle).catch(failing(`restore ${bundle.name}`))
  return (
    <ConfirmChange
      title={`Delete ${bundle.name}?`}
      action="Delete bundle"
      isProduction={isProduction(bundle)}
      change={remove}
      done={() => ({ text: `Deleted ${bundle.name}.`, ...(legacy === 0 ? { undo } : {}) })}
      leadsTo="/"
      onClose={onClose}
    >
      <p>
        {keys === 0
          ? 'It has no variables.'
          : `Its ${counted(keys, 'variable')} ${keys === 1 ? 'is' : 'are'} not deleted.`}{' '}
        Terminals that ask for this bundle by name will find nothing.
      </p>
      {legacy > 0 && (
        <p className="font-medium text-danger">
          {legacy} old {legacy === 1 ? 'item' : 'items'} will be lost for good:{' '}
          {legacy === 1 ? 'it is' : 'they are'} in no other bundle.
        </p>
      )}
    </ConfirmChange>
  )
}
