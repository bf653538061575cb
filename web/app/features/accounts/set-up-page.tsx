import { useState } from 'react'
import { useChange } from '../../lib/calls/use-call.ts'
import { PageHeading } from '../../ui/page-heading.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AccountForm, EmailField, FormCard } from './account-form.tsx'
import { NewPasswordField, useNewPassword } from './password-field.tsx'

/** Creates the first account of a server that keeps accounts itself. */
export function SetUpPage() {
  const [setupCode, setSetupCode] = useState('')
  const [email, setEmail] = useState('')
  const { field, isFine } = useNewPassword()
  const attempt = useChange('setUp', {})
  const submit = () => {
    const input = { setup_code: setupCode, email, password: field.value }
    if (isFine()) attempt.mutate(input, { onSuccess: () => location.assign('/') })
  }
  return (
    <FormCard>
      <PageHeading title="Set up Keyferry" intro="Create the first account. It becomes the owner." />
      <AccountForm
        action="Create account"
        attempt={attempt}
        explain={({ status }) => (status === 403 ? 'This is not the set-up code.' : undefined)}
        onSubmit={submit}
      >
        <TextField
          label="Set-up code"
          name="setup_code"
          autoComplete="off"
          autoFocus
          required
          value={setupCode}
          onChange={setSetupCode}
          hint="The server prints it on stderr when it starts, unless the setting SETUP_CODE sets it."
        />
        <EmailField value={email} onChange={setEmail} autoComplete="username" />
        <NewPasswordField {...field} />
      </AccountForm>
    </FormCard>
  )
}
