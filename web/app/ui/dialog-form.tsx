import type { FormEvent, ReactNode } from 'react'
import { describeFailure } from '../lib/failure.ts'
import { useClosing } from '../lib/unsaved.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type DialogFormProps = {
  action: string
  look?: 'primary' | 'danger'
  busy: boolean
  error?: Error | null
  onSubmit: () => void
  onCancel: () => void
  children: ReactNode
}

/** A form inside a dialog, with its action, a way to cancel, and the server's refusal. */
export function DialogForm({
  action,
  look = 'primary',
  busy,
  error = null,
  onSubmit,
  onCancel,
  children,
}: DialogFormProps) {
  const closing = useClosing()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onSubmit()
  }
  return (
    <form onSubmit={submit} className="space-y-4" noValidate>
      {children}
      {error !== null && (
        <Notice tone="danger" role="alert">
          {describeFailure(error).message}
        </Notice>
      )}
      <div className="flex flex-wrap justify-end gap-3 pt-2">
        <Button onClick={() => closing(onCancel)}>Cancel</Button>
        <Button type="submit" look={look} busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}
