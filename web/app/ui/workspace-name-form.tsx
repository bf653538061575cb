import { LIMITS } from '@keyferry/contract/limits'
import { type ReactNode, useState } from 'react'
import { failureText, isOvertaken } from '../lib/calls/failure.ts'
import { useChange } from '../lib/calls/use-call.ts'
import { openWorkspace } from '../lib/data/workspaces.ts'
import { useUnsaved } from '../lib/page/unsaved.ts'
import { useEdit } from '../lib/page/use-edit.ts'
import { Button } from './button.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import { Form } from './form.tsx'
import { Plus } from './icons.ts'
import { TextField } from './text-field.tsx'
import { carryOut, type Mutation } from './use-ending.ts'

type NameChange = { name: string; expected?: { name?: string | undefined } }

type WorkspaceNameFormProps<Answer> = {
  label: string
  placeholder?: string
  /** The stored name; empty for a new workspace. */
  stored: string
  /** The id of a stored workspace. */
  recordId?: string
  change: Mutation<NameChange, Answer>
  onDone: (answer: Answer) => void
  /** What the button says. */
  children: ReactNode
}

/** Asks for the name of a workspace; a refusal is shown beside it. */
export function WorkspaceNameForm<Answer>(props: WorkspaceNameFormProps<Answer>) {
  const { label, placeholder, stored, recordId, change, onDone, children } = props
  const { draft, change: edited, set, reset, conflict } = useEdit({ name: stored })
  const name = draft.name.trim()
  const [isEmpty, setEmpty] = useState(false)
  const saved = useUnsaved(edited !== null)
  const leave = (answer: Answer) => {
    saved()
    reset()
    onDone(answer)
  }
  const submit = () => {
    setEmpty(name === '')
    if (name === '' || edited === null) return
    carryOut(change, recordId === undefined ? { name } : { ...edited, name }, leave)
  }
  const refusal = isOvertaken(change.error) ? null : failureText(change.error, 'save the name')
  return (
    <Form busy={change.isPending} onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="min-w-48 flex-1">
        <TextField
          label={label}
          value={draft.name}
          placeholder={placeholder}
          maxLength={LIMITS.nameLength}
          autoComplete="off"
          onChange={(text) => set({ name: text })}
          problem={isEmpty ? 'Give the workspace a name.' : refusal}
        />
      </div>
      <Button
        label={children}
        type="submit"
        busy={change.isPending}
        disabled={stored !== '' && name === stored}
      />
      {recordId !== undefined && <ConflictNotice {...{ conflict, recordId }} />}
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
