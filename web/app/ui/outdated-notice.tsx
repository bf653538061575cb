import { describeFailure } from '../lib/calls/failure.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type OutdatedNoticeProps = { query: { error: Error | null; refetch: () => Promise<unknown> } }

/** Says above an earlier answer that a newer one did not come; nothing while the answer is fresh. */
export function OutdatedNotice({ query: { error, refetch } }: OutdatedNoticeProps) {
  if (error === null) return null
  return (
    <Notice tone="caution" role="status" className="mb-4">
      <p>This page shows an earlier state. {describeFailure(error).message}</p>
      <Button size="small" className="mt-2" onClick={() => void refetch()}>
        Try again
      </Button>
    </Notice>
  )
}
