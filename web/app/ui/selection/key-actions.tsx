import { type ComponentType, useState } from 'react'
import { useMay } from '../../lib/data/me.ts'
import { Button } from '../button.tsx'
import { Plus, Trash2 } from '../icons.ts'
import { AddToBundle, DeleteKeys } from './key-dialogs.tsx'
import type { KeyQuestionParts } from './key-question.tsx'

/** `onDone` empties the selection, which closes the dialog. */
type KeyActionsProps = Omit<KeyQuestionParts, 'onClose'> & { areUnused: boolean }

/** What a person may do with all of the selected variables, each action with its own question. */
export function KeyActions({ keys, areUnused, onDone }: KeyActionsProps) {
  const may = useMay()
  const [Open, setOpen] = useState<ComponentType<KeyQuestionParts> | null>(null)
  // An action is offered only if the server allows it for each of them.
  const allowed = [
    {
      is: areUnused && keys.every(({ may_show }) => may_show),
      label: 'Add to a bundle',
      icon: Plus,
      Dialog: AddToBundle,
    },
    { is: may('deleteKey'), label: 'Delete', icon: Trash2, Dialog: DeleteKeys },
  ].filter(({ is }) => is)
  return (
    <>
      {allowed.map(({ label, icon, Dialog }) => (
        <Button key={label} size="small" label={label} icon={icon} onClick={() => setOpen(() => Dialog)} />
      ))}
      {allowed.length === 0 && <p className="text-sm text-ink-soft">Only owners can delete these.</p>}
      {Open !== null && <Open keys={keys} onDone={onDone} onClose={() => setOpen(null)} />}
    </>
  )
}
