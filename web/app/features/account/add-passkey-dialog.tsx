import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import { useAddPasskey } from '../../lib/data/passkeys.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { CurrentPasswordField } from '../../ui/current-password-field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Names a new passkey, asks for the password, and lets the browser make the passkey. */
export function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const add = useAddPasskey()
  const [name, setName] = useState(browserName(navigator.userAgent) ?? '')
  const [current, setCurrent] = useState('')
  return (
    <FormDialog
      title="Add a passkey"
      action="Continue"
      change={add}
      input={() => ({ name, current })}
      done={(passkey) => `Added the passkey ${passkey.name}.`}
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
