import type { ReactNode } from 'react'
import { isOvertaken } from '../lib/calls/failure.ts'
import { useClosing, useUnsaved } from '../lib/page/unsaved.ts'
import { ActButton } from './act-button.tsx'
import { Button } from './button.tsx'
import { ConflictNotice, type ConflictNoticeProps } from './conflict-notice.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { FailureNotice } from './notice.tsx'
import { type ChangeEnding, carryOut, type Mutation, useEnding } from './use-ending.ts'

export type DialogFormProps<Input, Answer> = ChangeEnding<Answer> & {
  /** The title of the dialog: what it does. */
  title: string
  action: string
  /** Whether it writes production. */
  isProduction?: boolean
  change: Mutation<Input, Answer>
  /** What the form sends; null while something in it has to be corrected. */
  input: () => Input | null
  /** Whether the person typed something that closing would lose. */
  unsaved?: boolean
  /** Of an edit: what another person changed too, and the id of the record. */
  edited?: ConflictNoticeProps & { isUnchanged: boolean }
  /** The refusal is shown beside a field. */
  hidesError?: boolean
  children?: ReactNode
}

/** A form inside a dialog, with its action, a way to cancel, and the server's refusal. */
export function DialogForm<Input, Answer>(props: DialogFormProps<Input, Answer>) {
  const { action, isProduction = false, change, input, unsaved = false, edited } = props
  const hidesError = props.hidesError === true || (edited !== undefined && isOvertaken(change.error))
  const closing = useClosing()
  const saved = useUnsaved(unsaved)
  const end = useEnding(props)
  const submit = () => {
    const sent = input()
    if (sent === null) return edited?.isUnchanged ? props.onClose() : undefined
    carryOut(change, sent, (answer) => {
      saved()
      end(answer)
    })
  }
  return (
    <Form busy={change.isPending} onSubmit={submit} className="space-y-4">
      {props.children}
      {edited && <ConflictNotice {...edited} />}
      <FailureNotice error={hidesError ? null : change.error} act={props.title} />
      <div className="flex flex-wrap justify-end gap-3 pt-2">
        <Button label="Cancel" onClick={() => closing(props.onClose)} />
        <ActButton label={action} isProduction={isProduction} busy={change.isPending} />
      </div>
    </Form>
  )
}

/** A dialog with a form, its action and a way to cancel. */
export function FormDialog<Input, Answer>(form: DialogFormProps<Input, Answer>) {
  return (
    <Dialog title={form.title} onClose={form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  )
}
