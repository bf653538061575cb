import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { Passkey } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useChange('renamePasskey', { passkey_id: passkey.id }, { refreshes: ['listPasskeys'] })
  const [name, setName] = useState(passkey.name)
  return (
    <FormDialog
      title="Rename passkey"
      action="Save"
      change={rename}
      input={() => ({ name })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        maxLength={LIMITS.passkeyNameLength}
        autoComplete="off"
        autoFocus
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
