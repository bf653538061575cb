import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useCreateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Asks for what a new bundle needs and leads to it. */
export function NewBundleDialog({ onClose }: { onClose: () => void }) {
  const { draft, set, nameProblem, submit, isPending } = useNewBundle()
  return (
    <Dialog title="New bundle" onClose={onClose}>
      <form onSubmit={submit} className="space-y-4" noValidate>
        <TextField
          label="Name"
          autoFocus
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          problem={nameProblem}
          hint="Letters, digits, - and _. A / makes folders: dev/app."
          placeholder="dev/app"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <TextField
          label="Description (optional)"
          value={draft.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <TextField
          label="Tags (optional)"
          value={draft.tags}
          onChange={(event) => set({ tags: event.currentTarget.value })}
          hint="Separated by commas."
        />
        <div className="flex justify-end gap-3 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={isPending}>
            Create bundle
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function useNewBundle() {
  const create = useCreateBundle()
  const [, navigate] = useLocation()
  const [draft, setDraft] = useState({ name: '', description: '', tags: '' })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const problem = bundleNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null || create.isPending) return
    create.mutate(draft, {
      onSuccess: ({ id }) => navigate(`/bundles/${id}`),
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  return { draft, set, nameProblem, submit, isPending: create.isPending }
}
