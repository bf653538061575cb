import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Me } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useMe } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { ConflictNotice } from '../../ui/conflict-notice.tsx'
import { Form } from '../../ui/form.tsx'
import { FailureNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import { Passkeys } from './passkeys.tsx'
import { NewPasswordField, PasswordField, useNewPassword } from './password-field.tsx'

/** The passkeys, the password and the address of a local account. */
export function OwnAccount() {
  const me = useMe().data
  return (
    <>
      <Passkeys />
      <ChangePassword />
      {me !== undefined && <ChangeEmail stored={me} />}
    </>
  )
}

/** Changes the password of a local account. */
function ChangePassword() {
  const [current, setCurrent] = useState('')
  const { field, isFine } = useNewPassword()
  const change = useChange('changeOwnPassword', {})
  const onSuccess = ({ remembered_ended: ended }: { remembered_ended: number }) => {
    setCurrent('')
    field.onChange('')
    const grants = ended === 0 ? '' : ` So did ${counted(ended, 'remembered approval')}.`
    notify({ text: `Password changed. All other sessions ended.${grants}` })
  }
  const submit = (close: () => void) => {
    const input = { current_password: current, new_password: field.value }
    if (isFine()) change.mutate(input, { onSuccess: (ended) => [close(), onSuccess(ended)] })
  }
  return (
    <AccountChange what="password" change={change} onSubmit={submit}>
      <PasswordField label="Current password" value={current} onChange={setCurrent} />
      <NewPasswordField {...field} label="New password" />
    </AccountChange>
  )
}

/** Changes the e-mail address of a local account, which is what the person signs in with. */
function ChangeEmail({ stored: { email: storedEmail, user_id } }: { stored: Me }) {
  const client = useQueryClient()
  const { draft, change: edit, set, reset, conflict } = useEdit({ email: storedEmail ?? '' })
  const { email } = draft
  const [current, setCurrent] = useState('')
  const change = useChange('changeOwnEmail', {}, { refreshes: ['getMe'] })
  const saved = useUnsaved(edit !== null)
  const onSuccess = () => {
    saved()
    reset()
    setCurrent('')
    notify({ text: `Sign in with ${email} from now on.` })
    void client.invalidateQueries()
  }
  // The same address again sends the link that proves it again.
  const submit = (close: () => void) =>
    change.mutate({ ...edit, email, current_password: current }, { onSuccess: () => [close(), onSuccess()] })
  return (
    <AccountChange what="e-mail" change={change} onSubmit={submit}>
      <TextField
        label="New e-mail"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(text) => set({ email: text })}
      />
      <PasswordField value={current} onChange={setCurrent} />
      <ConflictNotice conflict={conflict} recordId={user_id} />
    </AccountChange>
  )
}

type AccountChangeProps = {
  what: string
  change: { isPending: boolean; error: Error | null }
  onSubmit: (close: () => void) => void
  children: ReactNode
}

/** A form that a button opens. */
function AccountChange({ what, change, onSubmit, children }: AccountChangeProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title={`Your ${what}`}
      className="mt-8"
      action={
        !isOpen && (
          <Button label="Change" aria-label={`Change ${what}`} size="small" onClick={() => setOpen(true)} />
        )
      }
    >
      {isOpen && (
        <Form
          busy={change.isPending}
          onSubmit={() => onSubmit(() => setOpen(false))}
          noValidate={false}
          className="mt-3 space-y-4"
        >
          {children}
          <FailureNotice error={change.error} act={`change the ${what}`} />
          <Button label={`Change ${what}`} type="submit" busy={change.isPending} />
        </Form>
      )}
    </Section>
  )
}
