import { LIMITS } from '@keyferry/contract/limits'
import { useState } from 'react'
import type { Passkey } from '../../lib/answers.ts'
import { useRenamePasskey } from '../../lib/passkeys.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useRenamePasskey()
  const [name, setName] = useState(passkey.name)
  return (
    <FormDialog
      title="Rename passkey"
      action="Save"
      busy={rename.isPending}
      error={rename.error}
      onSubmit={() => rename.mutate({ id: passkey.id, name }, { onSuccess: onClose })}
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
