import type { ReactNode } from 'react'
import { canTryAgain, describeFailure } from '../lib/calls/failure.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type Query = { error: Error | null; refetch: () => unknown }

type LoadedProps<Data> = {
  query: Query & { data: Data | undefined }
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
export function LoadingState({ query: { error, refetch }, what }: { query: Query; what: string }) {
  if (error === null) return <p className="py-6 text-ink-soft">Loading {what}…</p>
  return (
    <Notice tone="danger" role="alert">
      <p>{describeFailure(error).message}</p>
      {canTryAgain(error) && <TryAgain refetch={refetch} />}
    </Notice>
  )
}

/** Says above an earlier answer that a newer one did not come; nothing while the answer is fresh. */
export function OutdatedNotice({ query: { error, refetch } }: { query: Query }) {
  if (error === null) return null
  return (
    <Notice tone="caution" role="status" className="mb-4">
      <p>This page shows an earlier state. {describeFailure(error).message}</p>
      {canTryAgain(error) && <TryAgain refetch={refetch} />}
    </Notice>
  )
}

function TryAgain({ refetch }: Pick<Query, 'refetch'>) {
  return <Button label="Try again" size="small" className="mt-2" onClick={() => void refetch()} />
}
