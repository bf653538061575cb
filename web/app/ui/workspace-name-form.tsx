import { LIMITS } from '@keyferry/contract/limits'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { failureText } from '../lib/calls/failure.ts'
import { useChange } from '../lib/calls/use-call.ts'
import { openWorkspace } from '../lib/data/workspaces.ts'
import { useUnsaved } from '../lib/page/unsaved.ts'
import { Button } from './button.tsx'
import { Form } from './form.tsx'
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
  const submit = () => {
    setEmpty(name.trim() === '')
    if (name.trim() === '') return
    change.mutate({ name: name.trim() }, { onSuccess: leave })
  }
  return (
    <Form busy={change.isPending} onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1">
        <TextField
          label={label}
          value={name}
          placeholder={placeholder}
          maxLength={LIMITS.nameLength}
          autoComplete="off"
          onChange={setName}
          problem={isEmpty ? 'Give the workspace a name.' : failureText(change.error)}
        />
      </div>
      <Button
        label={children}
        type="submit"
        busy={change.isPending}
        disabled={stored !== '' && name.trim() === stored}
      />
    </Form>
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
