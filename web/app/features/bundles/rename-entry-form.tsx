import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import { useChangeAttachment } from '../../lib/attachments.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import type { EntryChange } from './entry-change.ts'

/** Asks for the name under which the bundle delivers a key. */
export function RenameEntryForm({ bundle, item, onDone, onCancel }: EntryChange) {
  const change = useChangeAttachment(bundle.id)
  const [name, setName] = useState(item.name)
  const saved = useUnsaved(name !== item.name)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = () => {
    const found = isKeyName(name) ? null : 'Use letters, digits and _ only.'
    setProblem(found)
    if (found !== null) return
    if (name === item.name) return onDone()
    const undo = () => change.mutate({ keyId: item.id ?? '', change: { as: item.name } })
    change.mutate(
      { keyId: item.id ?? '', change: { as: name } },
      {
        onSuccess: () => {
          saved()
          onDone()
          notify({ text: `${bundle.name} delivers ${name}.`, undo })
        },
      },
    )
  }
  return (
    <DialogForm
      action="Rename"
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextField
        label="Delivered name"
        autoFocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        problem={problem}
        hint={`The program reads this name. The key stays ${item.key_name} in the library.`}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
    </DialogForm>
  )
}
