import { useState } from 'react'
import { useChangeAttachment } from '../../lib/attachments.ts'
import { useKeys } from '../../lib/keys.ts'
import { useCanEdit } from '../../lib/me.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { notify } from '../../ui/toast-store.ts'
import type { EntryChange } from './entry-change.ts'

/** Asks for the library key that a bundle uses in the place of another one, under the same delivered name. */
export function OtherKeyForm({ bundle, item, onDone, onCancel }: EntryChange) {
  const change = useChangeAttachment(bundle.id)
  const canEdit = useCanEdit()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const attached = new Set(bundle.items.map(({ id }) => id))
  const free = (useKeys().data ?? []).filter((key) => !attached.has(key.id) && canEdit(key))
  const submit = () => {
    if (chosenId === null) return
    const undo = () => change.mutate({ keyId: chosenId, change: { key_id: item.id ?? '' } })
    change.mutate(
      { keyId: item.id ?? '', change: { key_id: chosenId } },
      {
        onSuccess: () => {
          onDone()
          const name = free.find(({ id }) => id === chosenId)?.name ?? ''
          notify({ text: `${bundle.name} delivers ${item.name} from ${name}.`, undo })
        },
      },
    )
  }
  return (
    <DialogForm
      action="Use this key"
      busy={change.isPending}
      error={change.error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Combobox
        label="Key"
        placeholder="Search the library"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={chosenId}
        onChoose={setChosenId}
      />
      <p className="text-sm text-ink-soft">
        {item.key_name} stays in the library. Place and required mark stay as they are.
      </p>
    </DialogForm>
  )
}
