import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { setUp } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormCard } from './form-card.tsx'
import { NewPasswordField, passwordProblem } from './new-password-field.tsx'

/** The first start of a server that keeps accounts itself: makes its owner. */
export function SetUpPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = useMutation({ mutationFn: setUp, gcTime: 0, onSuccess: () => location.assign('/') })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = passwordProblem(password)
    setProblem(found)
    if (found === null && !attempt.isPending) attempt.mutate({ email, password })
  }
  return (
    <FormCard>
      <PageHeading
        title="Set up Keyferry"
        intro="Nobody has an account here yet. The first one owns everything."
      />
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
        <NewPasswordField value={password} onChange={setPassword} problem={problem} />
        {attempt.error !== null && (
          <Notice tone="danger" role="alert">
            {describeFailure(attempt.error).message}
          </Notice>
        )}
        <Button type="submit" look="primary" size="large" busy={attempt.isPending} className="w-full">
          Create the account
        </Button>
      </form>
    </FormCard>
  )
}
