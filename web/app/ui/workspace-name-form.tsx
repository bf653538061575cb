import { LIMITS } from '@keyferry/contract/limits'
import { Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { failureText } from '../lib/calls/failure.ts'
import { useChange } from '../lib/calls/use-change.ts'
import { openWorkspace } from '../lib/data/workspaces.ts'
import { useUnsaved } from '../lib/page/unsaved.ts'
import { Button } from './button.tsx'
import { TextField } from './text-field.tsx'
import type { Change } from './use-ending.ts'

type WorkspaceNameFormProps<Answer> = {
  label: string
  placeholder?: string
  /** The stored name; empty for a new workspace. */
  stored: string
  change: Change<{ name: string }, Answer>
  onDone: (answer: Answer) => void
  /** What the button says. */
  children: ReactNode
}

/** Asks for the name of a workspace; a refusal is shown beside it. */
export function WorkspaceNameForm<Answer>(props: WorkspaceNameFormProps<Answer>) {
  const { label, placeholder, stored, change, onDone, children } = props
  const [name, setName] = useState(stored)
  const [isEmpty, setEmpty] = useState(false)
  const saved = useUnsaved(name !== stored)
  const leave = (answer: Answer) => {
    saved()
    onDone(answer)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (change.isPending) return
    setEmpty(name.trim() === '')
    if (name.trim() === '') return
    change.mutate({ name: name.trim() }, { onSuccess: leave })
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1">
        <TextField
          label={label}
          value={name}
          placeholder={placeholder}
          maxLength={LIMITS.nameLength}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
          problem={isEmpty ? 'Give the workspace a name.' : failureText(change.error)}
        />
      </div>
      <Button
        label={children}
        type="submit"
        busy={change.isPending}
        disabled={stored !== '' && name.trim() === stored}
      />
    </form>
  )
}

/** Creates a workspace and opens it. */
export function NewWorkspaceForm() {
  const create = useChange('createTenant', {})
  return (
    <WorkspaceNameForm
      label="New workspace"
      placeholder="Acme"
      stored=""
      change={create}
      onDone={({ id }) => void openWorkspace(id)}
    >
      <Plus aria-hidden size={16} /> Create
    </WorkspaceNameForm>
  )
}
