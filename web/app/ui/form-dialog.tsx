import { Dialog } from './dialog.tsx'
import { DialogForm, type DialogFormProps } from './dialog-form.tsx'

type FormDialogProps<Input, Answer> = DialogFormProps<Input, Answer> & { title: string; wide?: boolean }

/** A dialog with a form, its action and a way to cancel. */
export function FormDialog<Input, Answer>({ title, wide = false, ...form }: FormDialogProps<Input, Answer>) {
  return (
    <Dialog title={title} onClose={form.onClose} wide={wide}>
      <DialogForm {...form} />
    </Dialog>
  )
}
