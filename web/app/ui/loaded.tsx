import type { ReactNode } from 'react'
import { canTryAgainAfter, describeFailure, type Failure } from '../lib/calls/failure.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'
import { News } from './placed.tsx'

type FailedQuery = { error: Error | null; refetch: () => unknown }
type TryAgainProps = Pick<FailedQuery, 'refetch'> & { failure: Failure }

type LoadedProps<Data> = {
  query: FailedQuery & { data: Data | undefined }
  what: string
  /** Shown if there is no such thing. */
  missing?: ReactNode
  /** The page follows changes, so it also says when the thing is deleted. */
  follows?: boolean
  children: (data: Data) => ReactNode
}

/** Shows an answer; until it is there, that it is loading or why it failed. */
export function Loaded<Data>({ query, what, missing, follows = false, children }: LoadedProps<Data>) {
  const { data, error } = query
  const isMissing = missing !== undefined && error !== null && describeFailure(error).status === 404
  if (isMissing && (follows || data === undefined)) return missing
  return data === undefined ? <LoadingState query={query} what={what} /> : children(data)
}

/** Shown in place of an answer: that it is loading, or why it failed. */
export function LoadingState({ query: { error, refetch }, what }: { query: FailedQuery; what: string }) {
  if (error === null) return <Skeleton what={what} />
  return <FailureState failure={describeFailure(error)} refetch={refetch} />
}

/** Shown in place of an answer: why it failed. */
export function FailureState({ failure, refetch }: TryAgainProps) {
  return (
    <Notice tone="problem" role="alert">
      <p className="mb-2">{failure.message}</p>
      <TryAgain failure={failure} refetch={refetch} />
    </Notice>
  )
}

/** In the place of an answer, once the wait is noticeable. */
export function Skeleton({ what }: { what: string }) {
  return (
    <div className="late">
      <p className="sr-only">Loading {what}…</p>
      <div className="mb-6 h-7 w-48 animate-pulse rounded-sm bg-sunken" />
      <div className="h-80 animate-pulse rounded-lg bg-surface shadow-card" />
    </div>
  )
}

/** Says over an earlier answer that a newer one did not come; nothing while the answer is fresh. */
export function OutdatedNotice({ query: { error, refetch } }: { query: FailedQuery }) {
  if (error === null) return null
  const failure = describeFailure(error)
  return (
    <News text={`This page shows an earlier state. ${failure.message}`}>
      <TryAgain failure={failure} refetch={refetch} />
    </News>
  )
}

/** Retry, if a retry can help. */
export function TryAgain({ failure, refetch }: TryAgainProps) {
  if (!canTryAgainAfter(failure)) return null
  return <Button label="Try again" size="small" onClick={() => void refetch()} />
}
