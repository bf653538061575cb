import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Passkey } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { ago } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx'

/** `endsSecondFactor`: to remove this passkey ends the choice to be asked for one after the password. */
type PasskeyRowProps = { passkey: Passkey; endsSecondFactor: boolean }

/** One passkey: its name, when it was added and last used, and what can be done with it. */
export function PasskeyRow({ passkey, endsSecondFactor }: PasskeyRowProps) {
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const name = visibleText(passkey.name)
  return (
    <li className="flex min-h-13 items-center gap-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="text-sm break-words">{name}</p>
        <p className="text-xs text-ink-soft">{historyOf(passkey)}</p>
      </div>
      <IconButton label={`Rename ${name}`} onClick={() => setOpen('rename')}>
        <Pencil aria-hidden size={16} />
      </IconButton>
      <IconButton label={`Remove ${name}`} onClick={() => setOpen('remove')}>
        <Trash2 aria-hidden size={16} />
      </IconButton>
      {open === 'rename' && <RenamePasskeyDialog passkey={passkey} onClose={close} />}
      {open === 'remove' && (
        <RemovePasskeyDialog passkey={passkey} endsSecondFactor={endsSecondFactor} onClose={close} />
      )}
    </li>
  )
}

function historyOf({ created_at, last_used_at }: Passkey): string {
  const now = serverNowMs()
  const used = last_used_at === null ? 'never used' : `last used ${ago(last_used_at, now)}`
  return `added ${ago(created_at, now)} · ${used}`
}
