import { useId, useState } from 'react'
import { call } from '../../lib/calls/call.ts'
import { useSteps } from '../../lib/calls/use-change.ts'
import { confirmed } from '../../lib/data/passkeys.ts'
import { CurrentPasswordField } from '../../ui/current-password-field.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'

/** Whether a sign-in with the password also asks for a passkey. */
export function SecondFactor({ afterPassword }: { afterPassword: boolean }) {
  const id = useId()
  const [changing, setChanging] = useState(false)
  return (
    <div className="mt-4 flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-0.5"
        checked={afterPassword}
        // The dialog decides, so the box stays as it is until then.
        onClick={(event) => {
          event.preventDefault()
          setChanging(true)
        }}
        onChange={() => undefined}
        aria-describedby={`${id}-hint`}
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          Ask for a passkey after my password
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-soft">
          Your password alone does not sign you in then. If you lose every passkey, an operator can reset your
          account.
        </p>
      </div>
      {changing && <SecondFactorDialog wanted={!afterPassword} onClose={() => setChanging(false)} />}
    </div>
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
      <CurrentPasswordField value={current} onChange={setCurrent} autoFocus />
    </FormDialog>
  )
}
