import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { useChange } from '../../../lib/calls/use-call.ts'
import { useEdit } from '../../../lib/page/use-edit.ts'
import { FormDialog } from '../../../ui/dialog-form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { failing } from '../../../ui/toast-store.ts'

type RenameProps = { bundle: BundleWithItems; item: BundleItem; onClose: () => void }

const DELIVERED_NAME = { nameOf: () => 'the delivered name' }

/** Asks for the name under which the bundle delivers a key. */
export function RenameEntryDialog({ bundle, item, onClose }: RenameProps) {
  const change = useChange('changeAttachment', { bundle_id: bundle.id, key_id: item.id ?? '' })
  const { draft, change: edit, set, conflict } = useEdit({ as: item.name })
  const [problem, setProblem] = useState<string | null>(null)
  const input = () => {
    setProblem(isKeyName(draft.as) ? null : 'Use letters, digits and _ only.')
    return isKeyName(draft.as) ? edit : null
  }
  const undo = () =>
    change.mutate({ as: item.name, expected: { as: draft.as } }, { onError: failing('rename it back') })
  return (
    <FormDialog
      title={`Rename ${item.name} in ${bundle.name}`}
      action="Rename"
      change={change}
      input={input}
      unsaved={edit !== null}
      edited={{ conflict, recordId: bundle.id, isUnchanged: edit === null, words: DELIVERED_NAME }}
      done={() => ({ text: `${bundle.name} delivers ${draft.as}.`, undo })}
      onClose={onClose}
    >
      <TextField
        label="Delivered name"
        autoFocus
        value={draft.as}
        onChange={(as) => set({ as })}
        problem={problem}
        hint={`The program reads this name. The other bundles keep theirs.`}
        code="normal"
      />
    </FormDialog>
  )
}
