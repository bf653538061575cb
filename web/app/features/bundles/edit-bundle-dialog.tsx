import { useState } from 'react'
import type { Bundle } from '../../lib/answers.ts'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useUpdateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
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
  const [draft, setDraft] = useState({ name, description, tags })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const saved = useUnsaved(draft.name !== name || draft.description !== description || draft.tags !== tags)
  const submit = () => {
    const problem = bundleNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    update.mutate(draft, {
      onSuccess: (changed) => {
        saved()
        onClose()
        notify({ text: `Saved ${changed.name}.` })
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <DialogForm action="Save" busy={update.isPending} onSubmit={submit} onCancel={onClose}>
      <BundleFields
        draft={draft}
        nameProblem={nameProblem}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      {draft.name !== name && (
        <Notice tone="caution" role="status">
          Terminals and <code className="font-mono">keyferry.json</code> files that name {name} do not find it
          after that.
        </Notice>
      )}
    </DialogForm>
  )
}
