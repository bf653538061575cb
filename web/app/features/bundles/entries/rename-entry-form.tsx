import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import type { EntryChange } from './entry-change.ts'

/** Asks for the name under which the bundle delivers a key. */
export function RenameEntryForm({ bundle, item, onClose }: EntryChange) {
  const given = { bundle_id: bundle.id, key_id: item.id ?? '' }
  const change = useChange('changeAttachment', given, { refreshes: LIBRARY })
  const [name, setName] = useState(item.name)
  const [problem, setProblem] = useState<string | null>(null)
  const input = () => {
    setProblem(isKeyName(name) ? null : 'Use letters, digits and _ only.')
    if (name === item.name) onClose()
    return isKeyName(name) && name !== item.name ? { as: name } : null
  }
  const undo = () => change.mutate({ as: item.name })
  return (
    <DialogForm
      action="Rename"
      change={change}
      input={input}
      unsaved={name !== item.name}
      done={() => ({ text: `${bundle.name} delivers ${name}.`, undo })}
      onClose={onClose}
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
