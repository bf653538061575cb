import { useState } from 'react'
import type { Passkey } from '../../lib/answers.ts'
import { useRemovePasskey } from '../../lib/passkeys.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { CurrentPasswordField } from '../../ui/current-password-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toast-store.ts'

type RemovePasskeyDialogProps = { passkey: Passkey; endsSecondFactor: boolean; onClose: () => void }

/** Removes a passkey; your password always stays a way to sign in. */
export function RemovePasskeyDialog({ passkey, endsSecondFactor, onClose }: RemovePasskeyDialogProps) {
  const remove = useRemovePasskey()
  const [current, setCurrent] = useState('')
  const submit = () =>
    remove.mutate(
      { id: passkey.id, current },
      {
        onSuccess: () => {
          onClose()
          notify({ text: `Removed the passkey ${passkey.name}.` })
        },
      },
    )
  return (
    <FormDialog
      title="Remove passkey"
      action="Remove"
      look="danger"
      busy={remove.isPending}
      error={remove.error}
      onSubmit={submit}
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
