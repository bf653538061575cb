import type { ReactNode } from 'react'
import { describeFailure } from '../lib/calls/failure.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { type Change, type Ending, useEnding } from './use-ending.ts'

type ConfirmChangeProps<Input, Answer> = Ending<Answer> & {
  title: string
  action: string
  look?: 'danger' | 'primary'
  change: Change<Input, Answer>
  input: Input
  children: ReactNode
}

/** Asks before a change, makes it, and says why it failed or what it did. */
export function ConfirmChange<Input, Answer>(props: ConfirmChangeProps<Input, Answer>) {
  const { title, action, look = 'danger', change, input, onClose, children } = props
  const end = useEnding(props)
  return (
    <ConfirmDialog
      title={title}
      action={action}
      look={look}
      busy={change.isPending}
      problem={change.error === null ? null : describeFailure(change.error).message}
      onConfirm={() => change.mutate(input, { onSuccess: end })}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  )
}
