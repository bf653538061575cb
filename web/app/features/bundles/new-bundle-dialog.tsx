import { useChange } from '../../lib/calls/use-change.ts'
import { useNamedDraft } from '../../lib/page/use-named-draft.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { BundleFields } from './bundle-fields.tsx'

/** Asks for what a new bundle needs and leads to it. */
export function NewBundleDialog({ onClose }: { onClose: () => void }) {
  const create = useChange('createBundle', {}, { refreshes: ['listBundles'] })
  const { fields, form } = useNamedDraft({
    stored: { name: '', description: '', tags: '' },
    nameProblemOf: bundleNameProblem,
    change: create,
  })
  return (
    <FormDialog
      {...form}
      title="New bundle"
      action="Create bundle"
      leadsTo={({ id }) => `/bundles/${id}`}
      onClose={onClose}
    >
      <BundleFields {...fields} />
    </FormDialog>
  )
}
