import { askedReturn } from '@keyferry/contract/return-path'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { signIn } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormCard } from './form-card.tsx'

/** Signs in with e-mail and password, where the server keeps accounts itself. */
export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: signIn,
    gcTime: 0,
    onSuccess: () => location.assign(askedReturn(location.search)),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate({ email, password })
  }
  return (
    <FormCard>
      <PageHeading title="Sign in" />
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
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
        {attempt.error !== null && (
          <Notice tone="danger" role="alert">
            {refusal(attempt.error)}
          </Notice>
        )}
        <Button type="submit" look="primary" size="large" busy={attempt.isPending} className="w-full">
          Sign in
        </Button>
      </form>
    </FormCard>
  )
}

function refusal(error: unknown): string {
  const { status, message } = describeFailure(error)
  return status === 401 ? 'E-mail or password is wrong.' : message
}
