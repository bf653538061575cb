import { useState } from 'react'
import { useLocation } from 'wouter'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useCreateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
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
  const [draft, setDraft] = useState({ name: '', description: '', tags: '' })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const saved = useUnsaved(Object.values(draft).some((text) => text !== ''))
  const submit = () => {
    const problem = bundleNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    create.mutate(draft, {
      onSuccess: ({ id }) => {
        saved()
        navigate(`/bundles/${id}`)
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <DialogForm action="Create bundle" busy={create.isPending} onSubmit={submit} onCancel={onCancel}>
      <BundleFields
        draft={draft}
        nameProblem={nameProblem}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </DialogForm>
  )
}
