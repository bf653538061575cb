import { LIMITS } from '@keyferry/contract/limits'
import { type ComponentProps, useState } from 'react'
import type { Passkey } from '../../lib/accounts/answers.ts'
import { confirmed, useAddPasskey } from '../../lib/accounts/passkeys.ts'
import { call } from '../../lib/calls/call.ts'
import { useChange, useSteps } from '../../lib/calls/use-call.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { PasswordField } from './password-field.tsx'

const NAME_FIELD = {
  label: 'Name',
  maxLength: LIMITS.passkeyNameLength,
  autoComplete: 'off',
  required: true,
} as const

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
        {...NAME_FIELD}
        value={name}
        onChange={setName}
        hint="Names the device or the password manager that stores the passkey."
      />
      <PasswordField label="Current password" value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}

/** Gives a passkey another name. */
export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useChange('renamePasskey', { passkey_id: passkey.id })
  const { draft, change, set, conflict } = useEdit({ name: passkey.name })
  return (
    <FormDialog
      title="Rename passkey"
      action="Save"
      change={rename}
      input={() => change && { ...change, name: draft.name }}
      unsaved={change !== null}
      edited={{ conflict, recordId: passkey.id, isUnchanged: change === null }}
      onClose={onClose}
    >
      <TextField {...NAME_FIELD} autoFocus value={draft.name} onChange={(name) => set({ name })} />
    </FormDialog>
  )
}

type RemovePasskeyDialogProps = { passkey: Passkey; endsSecondFactor: boolean; onClose: () => void }

/** Removes a passkey; your password always stays a way to sign in. */
export function RemovePasskeyDialog({ passkey, endsSecondFactor, onClose }: RemovePasskeyDialogProps) {
  const remove = useSteps(
    async (password: string) => call('removePasskey', { passkey_id: passkey.id, ...confirmed(password) }),
    { refreshes: ['listPasskeys'] },
  )
  return (
    <PasswordDialog
      title="Remove passkey"
      action="Remove"
      look="danger"
      change={remove}
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
    </PasswordDialog>
  )
}

type PasswordDialogProps<Answer> = Omit<ComponentProps<typeof FormDialog<string, Answer>>, 'input'>

/** Asks for the current password, which the change takes. */
export function PasswordDialog<Answer>({ children, ...form }: PasswordDialogProps<Answer>) {
  const [current, setCurrent] = useState('')
  return (
    <FormDialog {...form} input={() => current}>
      {children}
      <PasswordField label="Current password" value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
