import type { ReactNode } from 'react'
import { describeFailure } from '../lib/calls/failure.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type LoadingStateProps = { error: Error | null; onRetry: () => void; what: string }

/** Shown in place of an answer: that it is loading, or why it failed. */
export function LoadingState({ error, onRetry, what }: LoadingStateProps): ReactNode {
  if (error === null) return <p className="py-6 text-ink-soft">Loading {what}…</p>
  return (
    <Notice tone="danger" role="alert">
      <p>{describeFailure(error).message}</p>
      <Button size="small" className="mt-2" onClick={onRetry}>
        Try again
      </Button>
    </Notice>
  )
}
