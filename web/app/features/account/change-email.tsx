import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { changeEmail } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Changes the e-mail address of a local account, which is what the person signs in with. */
export function ChangeEmail() {
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [current, setCurrent] = useState('')
  const change = useMutation({
    mutationFn: changeEmail,
    gcTime: 0,
    onSuccess: (_, { email: address }) => {
      setEmail('')
      setCurrent('')
      notify({ text: `Sign in with ${address} from now on.` })
      return client.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate({ current, email })
  }
  return (
    <section aria-labelledby="change-email" className="mt-8">
      <h2 id="change-email" className="text-sm font-semibold">
        Change e-mail
      </h2>
      <form onSubmit={submit} className="mt-3 max-w-md space-y-4">
        <TextField
          label="New e-mail"
          type="email"
          autoComplete="email"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        {change.error !== null && (
          <Notice tone="danger" role="alert">
            {describeFailure(change.error).message}
          </Notice>
        )}
        <Button type="submit" busy={change.isPending}>
          Change e-mail
        </Button>
      </form>
    </section>
  )
}
