import type { ReactNode } from 'react'
import { ActButton } from './act-button.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNotice } from './notice.tsx'
import { type ChangeEnding, carryOut, type Mutation, useEnding } from './use-ending.ts'

type ConfirmQuestion = {
  title: string
  action: string
  /** Whether it writes production. */
  isProduction?: boolean | undefined
  children: ReactNode
}

type ConfirmChangeProps<Answer> = ConfirmQuestion &
  ChangeEnding<Answer> & { change: Mutation<undefined, Answer> }

/** Asks before a change, makes it, and says why it failed or what it did. */
export function ConfirmChange<Answer>(props: ConfirmChangeProps<Answer>) {
  const { title, action, isProduction, change, onClose, children } = props
  const end = useEnding(props)
  return (
    <ConfirmDialog
      {...{ title, action, isProduction, onClose }}
      busy={change.isPending}
      error={change.error}
      onConfirm={() => carryOut(change, undefined, end)}
    >
      {children}
    </ConfirmDialog>
  )
}

type ConfirmDialogProps = ConfirmQuestion & {
  busy?: boolean
  error?: Error | null
  /** Whether all that the action needs is chosen. */
  isReady?: boolean
  bodyClass?: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be taken back, or that reaches further than it looks. */
export function ConfirmDialog({
  title,
  action,
  isProduction = false,
  busy = false,
  error = null,
  isReady = true,
  bodyClass = 'space-y-3 text-ink-soft',
  onConfirm,
  onClose,
  children,
}: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={bodyClass}>{children}</div>
      <FailureNotice error={error} act={title} className="mt-4" />
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button label="Cancel" onClick={onClose} />
        <ActButton
          type="button"
          label={action}
          isProduction={isProduction}
          busy={busy}
          disabled={!isReady}
          onClick={onConfirm}
        />
      </div>
    </Dialog>
  )
}
