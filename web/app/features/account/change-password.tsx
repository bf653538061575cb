import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { changePassword } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField, passwordProblem } from '../../ui/new-password-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Changes the password of a local account. */
export function ChangePassword() {
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [chosen, setChosen] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const change = useMutation({
    mutationFn: changePassword,
    gcTime: 0,
    onSuccess: () => {
      setCurrent('')
      setChosen('')
      notify({ text: 'Password changed. All other sessions ended.' })
      return client.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = passwordProblem(chosen)
    setProblem(found)
    if (found === null && !change.isPending) change.mutate({ current, chosen })
  }
  return (
    <section aria-labelledby="change-password" className="mt-8">
      <h2 id="change-password" className="text-sm font-semibold">
        Change password
      </h2>
      <form onSubmit={submit} className="mt-3 max-w-md space-y-4">
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPasswordField label="New password" value={chosen} onChange={setChosen} problem={problem} />
        {change.error !== null && (
          <Notice tone="danger" role="alert">
            {describeFailure(change.error).message}
          </Notice>
        )}
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </form>
    </section>
  )
}
