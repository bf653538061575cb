import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { DialogForm } from './dialog-form.tsx'

type FormDialogProps = {
  title: string
  action: string
  look?: 'primary' | 'danger'
  busy: boolean
  error?: Error | null
  wide?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A dialog with a form, its action and a way to cancel. */
export function FormDialog({ title, wide = false, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <DialogForm {...form} onCancel={onClose} />
    </Dialog>
  )
}
