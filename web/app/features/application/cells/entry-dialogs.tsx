import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer, useChange, useSteps } from '../../../lib/calls/use-call.ts'
import { useStricter } from '../../../lib/data/keys.ts'
import { useEdit } from '../../../lib/page/use-edit.ts'
import { Combobox } from '../../../ui/combobox.tsx'
import { FormDialog } from '../../../ui/dialog-form.tsx'
import { StricterNotice } from '../../../ui/stricter-notice.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { failing } from '../../../ui/toast-store.ts'

/** What a form that changes one key of a bundle gets. */
type EntryChange = {
  bundle: BundleWithItems
  item: BundleItem
  onClose: () => void
}

/** Asks for the library key that a bundle uses in the place of another one, under the same delivered name. */
export function OtherKeyDialog({ bundle, item, onClose }: EntryChange) {
  const change = useSteps(
    ({ from, to }: { from: string; to: string }) =>
      call('changeAttachment', { bundle_id: bundle.id, key_id: from }, { body: { key_id: to } }),
    { refreshes: LIBRARY },
  )
  const [chosenId, setChosenId] = useState<string | null>(null)
  const attached = new Set(bundle.items.map(({ id }) => id))
  const keys = useAnswer('listKeys', {}).data ?? []
  const free = keys.filter((key) => !attached.has(key.id) && key.may_show)
  const stricter = useStricter([chosenId ?? ''], chosenId === null ? null : bundle.id)
  const own = item.id ?? ''
  const chosen = keys.find(({ id }) => id === chosenId)
  // A secret that other bundles contain too stays where rules count.
  const isFree = bundle.may_duplicate || chosen?.used_in_bundles === 0
  const mayUndo = isFree && keys.some(({ id, may_show }) => id === own && may_show)
  const undo = () => change.mutate({ from: chosenId ?? '', to: own })
  const done = () => ({
    text: `${bundle.name} delivers ${item.name} from ${chosen?.name ?? ''}.`,
    ...(mayUndo ? { undo } : {}),
  })
  return (
    <FormDialog
      title={`Another key for ${item.name}`}
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
      <StricterNotice names={stricter} />
      <p className="text-sm text-ink-soft">
        The key from before stays in the library. Place and required mark stay as they are.
      </p>
    </FormDialog>
  )
}

const DELIVERED_NAME = { nameOf: () => 'the delivered name' }

/** Asks for the name under which the bundle delivers a key. */
export function RenameEntryDialog({ bundle, item, onClose }: EntryChange) {
  const change = useChange('changeAttachment', { bundle_id: bundle.id, key_id: item.id ?? '' })
  const { draft, change: edit, set, conflict } = useEdit({ as: item.name })
  const [problem, setProblem] = useState<string | null>(null)
  const input = () => {
    setProblem(isKeyName(draft.as) ? null : 'Use letters, digits and _ only.')
    return isKeyName(draft.as) ? edit : null
  }
  const undo = () =>
    change.mutate({ as: item.name, expected: { as: draft.as } }, { onError: failing('Undo') })
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
