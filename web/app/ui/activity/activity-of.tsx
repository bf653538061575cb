import { lazy, Suspense } from 'react'
import { useMe } from '../../lib/data/me.ts'

const ActivityList = lazy(async () => ({ default: (await import('./activity-list.tsx')).ActivityList }))

/** What happened to one key or bundle; for owners. */
export function ActivityOf({ id }: { id: string }) {
  const me = useMe().data
  if (me !== undefined && me.role !== 'owner')
    return <p className="text-ink-soft">Only owners of the workspace see what happened.</p>
  return (
    <Suspense fallback={null}>
      <ActivityList filter={{ target: id }} />
    </Suspense>
  )
}
