import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../lib/calls/failure.ts'
import { useChange } from '../lib/calls/use-change.ts'
import { openWorkspace } from '../lib/data/workspaces.ts'
import { useUnsaved } from '../lib/page/unsaved.ts'
import { Button } from './button.tsx'
import { TextField } from './text-field.tsx'

/** Creates a workspace and opens it. */
export function NewWorkspaceForm() {
  const create = useChange('createTenant', {})
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const saved = useUnsaved(name !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (create.isPending) return
    if (name.trim() === '') return setProblem('Give the workspace a name.')
    create.mutate(
      { name: name.trim() },
      {
        onSuccess: ({ id }) => {
          saved()
          void openWorkspace(id)
        },
        onError: (error) => setProblem(describeFailure(error).message),
      },
    )
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1">
        <TextField
          label="New workspace"
          value={name}
          placeholder="Acme"
          maxLength={255}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
          problem={problem}
        />
      </div>
      <Button type="submit" busy={create.isPending}>
        <Plus aria-hidden size={16} /> Create
      </Button>
    </form>
  )
}
