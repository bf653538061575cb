import { useMay, useMe } from '../../lib/data/me.ts'
import { deferred } from '../deferred.tsx'

const StoryList = deferred('StoryList', () => import('./story-list.tsx'))

/** What happened to one thing, or what it did; for owners. */
export function ActivityOf({ id, as = 'target' }: { id: string; as?: 'target' | 'actor' }) {
  const isKnown = useMe().data !== undefined
  const may = useMay()
  if (isKnown && !may('listAudit'))
    return <p className="text-ink-soft">Only owners of the workspace see what happened.</p>
  return <StoryList key={id} filter={{ [as]: id }} />
}
