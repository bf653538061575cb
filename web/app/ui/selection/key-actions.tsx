import { type ComponentType, useState } from 'react'
import { useMay } from '../../lib/data/me.ts'
import { Button } from '../button.tsx'
import { Link2, Lock, Trash2 } from '../icons.ts'
import { AttachKeys, DeclareSecret, DeleteKeys } from './key-dialogs.tsx'
import type { KeyQuestionParts, SelectedKey } from './key-question.tsx'

/** What a person may do with all of the selected keys, each action with its own question. */
export function KeyActions({ keys, bundle, onDone }: Omit<KeyQuestionParts, 'onClose'>) {
  const [Open, setOpen] = useState<ComponentType<KeyQuestionParts> | null>(null)
  const allowed = useAllowed(keys, bundle !== null)
  const done = () => {
    setOpen(null)
    onDone()
  }
  return (
    <>
      {allowed.map(({ label, icon, Dialog }) => (
        <Button key={label} size="small" label={label} icon={icon} onClick={() => setOpen(() => Dialog)} />
      ))}
      {allowed.length === 0 && (
        <p className="text-sm text-ink-soft">
          You can change only keys whose value you may change. By default, that is what you set.
        </p>
      )}
      {Open !== null && <Open keys={keys} bundle={bundle} onDone={done} onClose={() => setOpen(null)} />}
    </>
  )
}

// An action is offered only if the server allows it for each of the keys.
function useAllowed(keys: readonly SelectedKey[], isBundlePage: boolean) {
  const may = useMay()
  const canEditAll = keys.every(({ may_change }) => may_change)
  // A bundle delivers only one key under a name.
  const areApart = new Set(keys.map(({ name }) => name)).size === keys.length
  const canAttach = areApart && keys.every(({ may_show }) => may_show)
  const isOpen = canEditAll && keys.some(({ is_secret }) => !is_secret)
  return [
    { is: canAttach, label: isBundlePage ? 'Attach elsewhere' : 'Attach', icon: Link2, Dialog: AttachKeys },
    { is: isOpen, label: 'Mark as secret', icon: Lock, Dialog: DeclareSecret },
    { is: may('deleteKey'), label: 'Delete', icon: Trash2, Dialog: DeleteKeys },
  ].filter(({ is }) => is)
}
