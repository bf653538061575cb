import { useState } from 'react'
import type { Bundle } from '../../lib/answers.ts'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useUpdateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toast-store.ts'
import { BundleFields } from './bundle-fields.tsx'

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const update = useUpdateBundle(bundle.id)
  const { name, description, tags } = bundle
  const [draft, setDraft] = useState({ name, description, tags })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const submit = () => {
    const problem = bundleNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    update.mutate(draft, {
      onSuccess: (saved) => {
        onClose()
        notify({ text: `Saved ${saved.name}.` })
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <FormDialog title="Edit bundle" action="Save" busy={update.isPending} onSubmit={submit} onClose={onClose}>
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
    </FormDialog>
  )
}
