import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/calls/failure.ts'
import { returnAddress, signIn } from '../../lib/data/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField, passwordProblem } from '../../ui/new-password-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormCard } from './form-card.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'

/** Signs in with e-mail and password, where the server keeps accounts itself. */
export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [wasReset, setWasReset] = useState(false)
  const [asksPasskey, setAsksPasskey] = useState(false)
  const attempt = useMutation({
    mutationFn: signIn,
    gcTime: 0,
    onError: (error) => setWasReset((before) => before || isReset(error)),
    onSuccess: () => location.assign(returnAddress()),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = wasReset ? passwordProblem(newPassword) : null
    setProblem(found)
    if (found === null && !attempt.isPending)
      attempt.mutate({
        email,
        password,
        newPassword: wasReset ? newPassword : null,
        onPasskey: () => setAsksPasskey(true),
      })
  }
  return (
    <FormCard>
      <PageHeading title="Sign in" />
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {wasReset && (
          <>
            <Notice tone="plain" role="status">
              Your password was reset. Choose a new one to sign in.
            </Notice>
            <NewPasswordField
              label="New password"
              value={newPassword}
              onChange={setNewPassword}
              problem={problem}
              autoFocus
            />
          </>
        )}
        {asksPasskey && attempt.isPending && (
          <Notice tone="plain" role="status">
            Confirm with your passkey.
          </Notice>
        )}
        {attempt.error !== null && !isReset(attempt.error) && (
          <Notice tone="danger" role="alert">
            {refusal(attempt.error)}
          </Notice>
        )}
        <Button type="submit" look="primary" size="large" busy={attempt.isPending} className="w-full">
          Sign in
        </Button>
      </form>
      <PasskeySignIn />
    </FormCard>
  )
}

function refusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 401 ? 'E-mail or password is wrong.' : message
}

function isReset(error: unknown): boolean {
  return describeFailure(error).code === 'password_change_required'
}
