import { type ActivityFilter, useActivity } from '../../lib/activity/entries.ts'
import { type ActivityStory, storiesIn } from '../../lib/activity/stories.ts'
import { dayOf } from '../../lib/words/due.ts'
import { dayName } from '../../lib/words/time.ts'
import { Button } from '../button.tsx'
import { LoadingState } from '../loaded.tsx'
import { StoryRow } from './story-row.tsx'

type StoryListProps = {
  filter: ActivityFilter
  /** Each entry in its own line. */
  apart?: boolean
  /** How many stories a day has, as far as that is known. */
  countOf?: (day: string) => number | undefined
}

/** What happened, newest first, by day; older stories are fetched on demand. */
export function StoryList({ filter, apart = false, countOf = () => undefined }: StoryListProps) {
  const activity = useActivity(filter)
  const { data, hasNextPage, isFetchingNextPage } = activity
  if (data === undefined) return <LoadingState query={activity} what="the activity" />
  const stories = storiesIn(data.pages.flat(), { apart })
  if (stories.length === 0) return <p className="py-6 text-ink-soft">No matching activity.</p>
  return (
    <>
      {[...Map.groupBy(stories, (story) => dayOf(newestIn(story)))].map(([day, ofDay]) => (
        <section key={day} aria-label={dayName(`${day}T12:00`)} className="mb-6">
          <h2 className="mb-2 text-xs font-semibold text-ink-soft">
            {dayName(`${day}T12:00`)} <span className="font-normal">{countOf(day)}</span>
          </h2>
          <ol className="divide-y divide-line overflow-clip rounded-lg bg-surface shadow-card">
            {ofDay.map((story) => (
              <li key={story.id}>
                <StoryRow story={story} apart={apart} />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage && (
        <Button
          label="Show older activity"
          busy={isFetchingNextPage}
          onClick={() => void activity.fetchNextPage()}
        />
      )}
    </>
  )
}

const newestIn = ({ entries, head }: ActivityStory): string => entries[0]?.at ?? head.at
