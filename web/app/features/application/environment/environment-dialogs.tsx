import { useSearchParams } from 'wouter'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { EditBundleDialog } from '../../../ui/bundle-forms.tsx'
import { DeleteBundleDialog } from './delete-bundle-dialog.tsx'
import { DuplicateBundleDialog } from './duplicate-bundle-dialog.tsx'
import { ExportDialog } from './export-dialog.tsx'

export type EnvironmentDialog = 'edit' | 'duplicate' | 'export' | 'delete'

type EnvironmentDialogsProps = { bundleId: string; open: EnvironmentDialog; onClose: () => void }

/** The dialogs about an environment as a whole. */
export function EnvironmentDialogs({ bundleId, open, onClose }: EnvironmentDialogsProps) {
  const [params] = useSearchParams()
  const bundle = useAnswer('getBundle', { bundle_id: bundleId }).data
  if (bundle === undefined) return null
  const parts = { bundle, onClose }
  if (open === 'edit') return <EditBundleDialog {...parts} />
  if (open === 'duplicate') return <DuplicateBundleDialog {...parts} as={params.get('duplicate')} />
  return open === 'export' ? <ExportDialog {...parts} /> : <DeleteBundleDialog {...parts} />
}
