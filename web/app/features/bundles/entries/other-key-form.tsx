import { useState } from 'react'
import { call } from '../../../lib/calls/call.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import { useSteps } from '../../../lib/calls/use-change.ts'
import { useCanEdit } from '../../../lib/data/me.ts'
import { Combobox } from '../../../ui/combobox.tsx'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import type { EntryChange } from './entry-change.ts'

/** Asks for the library key that a bundle uses in the place of another one, under the same delivered name. */
export function OtherKeyForm({ bundle, item, onClose }: EntryChange) {
  const change = useSteps(
    ({ from, to }: { from: string; to: string }) =>
      call('changeAttachment', { bundle_id: bundle.id, key_id: from }, { body: { key_id: to } }),
    { refreshes: LIBRARY },
  )
  const canEdit = useCanEdit()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const attached = new Set(bundle.items.map(({ id }) => id))
  const free = (useAnswer('listKeys', {}).data ?? []).filter((key) => !attached.has(key.id) && canEdit(key))
  const own = item.id ?? ''
  const done = () => ({
    text: `${bundle.name} delivers ${item.name} from ${free.find(({ id }) => id === chosenId)?.name ?? ''}.`,
    undo: () => change.mutate({ from: chosenId ?? '', to: own }),
  })
  return (
    <DialogForm
      action="Use this key"
      change={change}
      input={() => (chosenId === null ? null : { from: own, to: chosenId })}
      done={done}
      onClose={onClose}
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
