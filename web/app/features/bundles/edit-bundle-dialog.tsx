import type { Bundle } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useNamedDraft } from '../../lib/page/use-named-draft.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BundleFields } from './bundle-fields.tsx'

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const { id, name, description, tags } = bundle
  const update = useChange('updateBundle', { bundle_id: id }, { refreshes: ['getBundle', 'listBundles'] })
  const { fields, form } = useNamedDraft({
    stored: { name, description, tags },
    nameProblemOf: bundleNameProblem,
    change: update,
  })
  return (
    <FormDialog
      {...form}
      title="Edit bundle"
      action="Save"
      done={(changed) => `Saved ${changed.name}.`}
      onClose={onClose}
    >
      <BundleFields {...fields} />
      {fields.draft.name !== name && (
        <Notice tone="caution" role="status">
          Terminals and <code className="font-mono">keyferry.json</code> files that name {name} do not find it
          after that.
        </Notice>
      )}
    </FormDialog>
  )
}
