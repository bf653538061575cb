import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../lib/calls/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Changes the e-mail address of a local account, which is what the person signs in with. */
export function ChangeEmail() {
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [current, setCurrent] = useState('')
  const change = useChange('changeOwnEmail', {})
  const onSuccess = () => {
    setEmail('')
    setCurrent('')
    notify({ text: `Sign in with ${email} from now on.` })
    void client.invalidateQueries()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!change.isPending) change.mutate({ current_password: current, email }, { onSuccess })
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
        <FailureNotice error={change.error} />
        <Button type="submit" busy={change.isPending}>
          Change e-mail
        </Button>
      </form>
    </section>
  )
}
