import { Link2, Lock, Trash2, Unlink } from 'lucide-react'
import { useState } from 'react'
import type { Key } from '../../lib/calls/answers.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { Button } from '../button.tsx'
import { AttachKeys, DeclareSecret, DeleteKeys, DetachKeys } from './key-dialogs.tsx'

type KeyActionsProps = {
  keys: readonly Key[]
  /** The bundle whose page this is; null in the library. */
  bundle: { id: string; name: string } | null
  onDone: () => void
}

type Open = 'attach' | 'detach' | 'secret' | 'delete' | null

/** What a person may do with all of the selected keys, each action with its own question. */
export function KeyActions({ keys, bundle, onDone }: KeyActionsProps) {
  const [open, setOpen] = useState<Open>(null)
  const allowed = useAllowed(keys, bundle !== null)
  const done = () => {
    setOpen(null)
    onDone()
  }
  const dialog = { keys, bundle, onDone: done, onClose: () => setOpen(null) }
  return (
    <>
      {allowed.attach && (
        <Button
          size="small"
          label={bundle === null ? 'Attach' : 'Attach elsewhere'}
          icon={Link2}
          onClick={() => setOpen('attach')}
        />
      )}
      {allowed.detach && (
        <Button size="small" label="Detach" icon={Unlink} onClick={() => setOpen('detach')} />
      )}
      {allowed.secret && (
        <Button size="small" label="Mark as secret" icon={Lock} onClick={() => setOpen('secret')} />
      )}
      {allowed.delete && (
        <Button size="small" label="Delete" icon={Trash2} onClick={() => setOpen('delete')} />
      )}
      {Object.values(allowed).every((is) => !is) && (
        <p className="text-sm text-ink-soft">
          You can change only keys whose value you may change. By default, that is what you set.
        </p>
      )}
      {open === 'attach' && <AttachKeys {...dialog} />}
      {open === 'detach' && <DetachKeys {...dialog} />}
      {open === 'secret' && <DeclareSecret {...dialog} />}
      {open === 'delete' && <DeleteKeys {...dialog} />}
    </>
  )
}

// An action is offered only if the server allows it for each of the keys.
function useAllowed(keys: readonly Key[], isBundlePage: boolean) {
  const isOwner = useIsOwner()
  const canEditAll = keys.every(({ may_change }) => may_change)
  const canShowAll = keys.every(({ may_show }) => may_show)
  return {
    attach: canShowAll,
    detach: isBundlePage || keys.some(({ used_in_bundles }) => used_in_bundles > 0),
    secret: canEditAll && keys.some(({ is_secret }) => !is_secret),
    delete: isOwner,
  }
}
