import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './notice.tsx'

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
        <Button onClick={onClose}>Cancel</Button>
        <Button look={look} busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
