import { type ActivityFilter, useActivity } from '../../lib/activity/entries.ts'
import type { AuditEntry } from '../../lib/calls/answers.ts'
import { dayName } from '../../lib/words/time.ts'
import { Button } from '../button.tsx'
import { LoadingState } from '../loaded.tsx'
import { ActivityRow } from './activity-row.tsx'

/** What happened, newest first, by day; older entries are fetched on demand. For owners. */
export function ActivityList({ filter }: { filter: ActivityFilter }) {
  const activity = useActivity(filter)
  const { data, hasNextPage, isFetchingNextPage } = activity
  if (data === undefined) return <LoadingState query={activity} what="the activity" />
  const entries = withoutRepeats(data.pages.flat())
  if (entries.length === 0) return <p className="py-6 text-ink-soft">No matching activity.</p>
  return (
    <>
      {[...Map.groupBy(entries, ({ at }) => dayName(at))].map(([day, ofDay]) => (
        <section key={day} aria-label={day} className="mb-4">
          <h2 className="mb-1 text-xs font-semibold text-ink-soft">{day}</h2>
          <ol className="divide-y divide-line overflow-clip rounded-lg border border-line bg-surface">
            {ofDay.map((entry) => (
              <li key={entry.id}>
                <ActivityRow entry={entry} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage && (
        <Button
          label="Show older entries"
          busy={isFetchingNextPage}
          onClick={() => void activity.fetchNextPage()}
        />
      )}
    </>
  )
}

// An entry that is sealed between two reads can be on both pages.
function withoutRepeats(entries: readonly AuditEntry[]): AuditEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}
