import { useLocation } from 'wouter'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useCreateBundle } from '../../lib/bundles.ts'
import { useNamedDraft } from '../../lib/use-named-draft.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { BundleFields } from './bundle-fields.tsx'

/** Asks for what a new bundle needs and leads to it. */
export function NewBundleDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="New bundle" onClose={onClose}>
      <NewBundleForm onCancel={onClose} />
    </Dialog>
  )
}

function NewBundleForm({ onCancel }: { onCancel: () => void }) {
  const create = useCreateBundle()
  const [, navigate] = useLocation()
  const { fields, submit } = useNamedDraft({
    stored: { name: '', description: '', tags: '' },
    nameProblemOf: bundleNameProblem,
    save: create,
    onSaved: ({ id }) => navigate(`/bundles/${id}`),
  })
  return (
    <DialogForm action="Create bundle" busy={create.isPending} onSubmit={submit} onCancel={onCancel}>
      <BundleFields {...fields} />
    </DialogForm>
  )
}
