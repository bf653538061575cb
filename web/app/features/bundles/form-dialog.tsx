import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

type FormDialogProps = {
  title: string
  action: string
  busy: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form, its action and a way to cancel. */
export function FormDialog({ title, action, busy, onSubmit, onClose, children }: FormDialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="space-y-4" noValidate>
        {children}
        <div className="flex justify-end gap-3 pt-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
