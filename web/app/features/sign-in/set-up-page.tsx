import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField, passwordProblem } from '../../ui/new-password-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormCard } from './form-card.tsx'

/** Creates the first account of a server that keeps accounts itself. */
export function SetUpPage() {
  const [setupCode, setSetupCode] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = useChange('setUp', {})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = passwordProblem(password)
    setProblem(found)
    if (found !== null || attempt.isPending) return
    attempt.mutate({ setup_code: setupCode, email, password }, { onSuccess: () => location.assign('/') })
  }
  return (
    <FormCard>
      <PageHeading title="Set up Keyferry" intro="Create the first account. It becomes the owner." />
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="Set-up code"
          name="setup_code"
          autoComplete="off"
          autoFocus
          required
          value={setupCode}
          onChange={(event) => setSetupCode(event.currentTarget.value)}
          hint="The server prints it on stderr when it starts, unless the setting SETUP_CODE sets it."
        />
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NewPasswordField value={password} onChange={setPassword} problem={problem} />
        {attempt.error !== null && (
          <Notice tone="danger" role="alert">
            {refusal(attempt.error)}
          </Notice>
        )}
        <Button type="submit" look="primary" size="large" busy={attempt.isPending} className="w-full">
          Create account
        </Button>
      </form>
    </FormCard>
  )
}

function refusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 403 ? 'This is not the set-up code.' : message
}
