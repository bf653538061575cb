import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { describeFailure } from '../../lib/calls/failure.ts'
import { returnAddress, signIn } from '../../lib/data/sign-in.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NewPasswordField, PasswordField, passwordProblem } from '../../ui/password-field.tsx'
import { AccountForm, EmailField, FormCard } from './account-form.tsx'
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
  const submit = () => {
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
      <AccountForm
        action="Sign in"
        busy={attempt.isPending}
        refusal={attempt.error === null || isReset(attempt.error) ? null : refusal(attempt.error)}
        onSubmit={submit}
      >
        <EmailField value={email} onChange={setEmail} autoComplete="username webauthn" autoFocus />
        <PasswordField name="password" value={password} onChange={setPassword} />
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
      </AccountForm>
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
