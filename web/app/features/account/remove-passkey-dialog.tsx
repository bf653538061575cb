import { useState } from 'react'
import type { Passkey } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { useSteps } from '../../lib/calls/use-change.ts'
import { confirmed } from '../../lib/data/passkeys.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { CurrentPasswordField } from '../../ui/current-password-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'

type RemovePasskeyDialogProps = { passkey: Passkey; endsSecondFactor: boolean; onClose: () => void }

/** Removes a passkey; your password always stays a way to sign in. */
export function RemovePasskeyDialog({ passkey, endsSecondFactor, onClose }: RemovePasskeyDialogProps) {
  const remove = useSteps(
    async (password: string) => call('removePasskey', { passkey_id: passkey.id, ...confirmed(password) }),
    { refreshes: ['listPasskeys'] },
  )
  const [current, setCurrent] = useState('')
  return (
    <FormDialog
      title="Remove passkey"
      action="Remove"
      look="danger"
      change={remove}
      input={() => current}
      done={`Removed the passkey ${passkey.name}.`}
      onClose={onClose}
    >
      <p className="text-sm text-ink-soft">
        {visibleText(passkey.name)} does not sign you in after that. Delete it on its device too. You can
        still sign in with your password.
      </p>
      {endsSecondFactor && (
        <Notice tone="caution" role="status">
          This is your last passkey. After that, your password signs you in without one.
        </Notice>
      )}
      <CurrentPasswordField value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
