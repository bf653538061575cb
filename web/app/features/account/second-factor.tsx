import { useState } from 'react'
import { call } from '../../lib/calls/call.ts'
import { useSteps } from '../../lib/calls/use-change.ts'
import { confirmed } from '../../lib/data/passkeys.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { PasswordField } from '../../ui/password-field.tsx'

/** Whether a sign-in with the password also asks for a passkey. */
export function SecondFactor({ afterPassword }: { afterPassword: boolean }) {
  const [changing, setChanging] = useState(false)
  return (
    <>
      <HintedCheckbox
        label="Ask for a passkey after my password"
        hint="Your password alone does not sign you in then. If you lose every passkey, an operator can reset your account."
        checked={afterPassword}
        // The box stays as it is until the dialog has decided.
        onChange={() => setChanging(true)}
        className="mt-4"
      />
      {changing && <SecondFactorDialog wanted={!afterPassword} onClose={() => setChanging(false)} />}
    </>
  )
}

function SecondFactorDialog({ wanted, onClose }: { wanted: boolean; onClose: () => void }) {
  const change = useSteps(
    async (password: string) =>
      call('changeSecondFactor', { after_password: wanted, ...confirmed(password) }),
    { refreshes: ['listPasskeys'] },
  )
  const [current, setCurrent] = useState('')
  return (
    <FormDialog
      title={wanted ? 'Ask for a passkey after my password' : 'Sign in with the password only'}
      action={wanted ? 'Turn on' : 'Turn off'}
      change={change}
      input={() => current}
      onClose={onClose}
    >
      <PasswordField label="Current password" value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
