import { useState } from 'react'
import { useLocation } from 'wouter'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useCreateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { BundleFields } from './bundle-fields.tsx'

/** Asks for what a new bundle needs and leads to it. */
export function NewBundleDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateBundle()
  const [, navigate] = useLocation()
  const [draft, setDraft] = useState({ name: '', description: '', tags: '' })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const submit = () => {
    const problem = bundleNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    create.mutate(draft, {
      onSuccess: ({ id }) => navigate(`/bundles/${id}`),
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <FormDialog
      title="New bundle"
      action="Create bundle"
      busy={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <BundleFields
        draft={draft}
        nameProblem={nameProblem}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </FormDialog>
  )
}
