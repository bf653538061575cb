import type { Bundle } from '../../lib/answers.ts'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useUpdateBundle } from '../../lib/bundles.ts'
import { useNamedDraft } from '../../lib/use-named-draft.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toast-store.ts'
import { BundleFields } from './bundle-fields.tsx'

type EditBundleProps = { bundle: Bundle; onClose: () => void }

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog(props: EditBundleProps) {
  return (
    <Dialog title="Edit bundle" onClose={props.onClose}>
      <EditBundleForm {...props} />
    </Dialog>
  )
}

function EditBundleForm({ bundle, onClose }: EditBundleProps) {
  const update = useUpdateBundle(bundle.id)
  const { name, description, tags } = bundle
  const { fields, submit } = useNamedDraft({
    stored: { name, description, tags },
    nameProblemOf: bundleNameProblem,
    save: update,
    onSaved: (changed) => {
      onClose()
      notify({ text: `Saved ${changed.name}.` })
    },
  })
  return (
    <DialogForm action="Save" busy={update.isPending} onSubmit={submit} onCancel={onClose}>
      <BundleFields {...fields} />
      {fields.draft.name !== name && (
        <Notice tone="caution" role="status">
          Terminals and <code className="font-mono">keyferry.json</code> files that name {name} do not find it
          after that.
        </Notice>
      )}
    </DialogForm>
  )
}
