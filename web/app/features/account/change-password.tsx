import { type FormEvent, useState } from 'react'
import { useChange } from '../../lib/calls/use-change.ts'
import { Button } from '../../ui/button.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { NewPasswordField, passwordProblem } from '../../ui/new-password-field.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Changes the password of a local account. */
export function ChangePassword() {
  const [current, setCurrent] = useState('')
  const [chosen, setChosen] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const change = useChange('changeOwnPassword', {}, { refreshes: ['listSessions'] })
  const onSuccess = () => {
    setCurrent('')
    setChosen('')
    notify({ text: 'Password changed. All other sessions ended.' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = passwordProblem(chosen)
    setProblem(found)
    if (found !== null || change.isPending) return
    change.mutate({ current_password: current, new_password: chosen }, { onSuccess })
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
        <FailureNotice error={change.error} />
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </form>
    </section>
  )
}
