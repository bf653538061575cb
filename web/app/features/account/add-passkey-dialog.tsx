import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import { browserName } from '../../lib/browser-name.ts'
import { useAddPasskey } from '../../lib/passkeys.ts'
import { CurrentPasswordField } from '../../ui/current-password-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Names a new passkey, asks for the password, and lets the browser make the passkey. */
export function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const add = useAddPasskey()
  const [name, setName] = useState(browserName(navigator.userAgent) ?? '')
  const [current, setCurrent] = useState('')
  const submit = () =>
    add.mutate(
      { name, current },
      {
        onSuccess: (passkey) => {
          onClose()
          notify({ text: `Added the passkey ${passkey.name}.` })
        },
      },
    )
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      busy={add.isPending}
      error={add.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={LIMITS.passkeyNameLength}
        autoComplete="off"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        hint="Names the device or the password manager that stores the passkey."
      />
      <CurrentPasswordField value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
