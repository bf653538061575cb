import type { ReactNode } from 'react'
import { describeFailure } from '../lib/calls/failure.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './notice.tsx'
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

type ConfirmDialogProps = {
  title: string
  action: string
  /** `primary` for what can be taken back. */
  look?: 'danger' | 'primary'
  busy: boolean
  problem: string | null
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks before something that cannot be taken back, or that reaches further than it looks. */
export function ConfirmDialog({
  title,
  action,
  look = 'danger',
  busy,
  problem,
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="space-y-3 text-ink-soft">{children}</div>
      {problem !== null && (
        <Notice tone="danger" role="alert" className="mt-4">
          {problem}
        </Notice>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button label="Cancel" onClick={onClose} />
        <Button label={action} look={look} busy={busy} onClick={onConfirm} />
      </div>
    </Dialog>
  )
}
