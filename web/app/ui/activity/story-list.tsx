import { useState } from 'react'
import { type ActivityFilter, useActivity } from '../../lib/activity/entries.ts'
import { type ActivityStory, storiesIn } from '../../lib/activity/stories.ts'
import { counted } from '../../lib/words/counted.ts'
import { dayOf } from '../../lib/words/due.ts'
import { dayName } from '../../lib/words/time.ts'
import { Button } from '../button.tsx'
import { LoadingState } from '../loaded.tsx'
import { News } from '../placed.tsx'
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
  const { data, hasNextPage, isFetching, isFetchingNextPage } = activity
  const [drawn, setDrawn] = useState<string>()
  if (data === undefined) return <LoadingState query={activity} what="the activity" />
  const all = storiesIn(data.pages.flat(), { apart })
  const [newest] = all
  if (drawn === undefined && newest !== undefined && !isFetching) setDrawn(newest.id)
  // What is newer waits until the person asks for it, so that nothing moves.
  const news = all.findIndex(({ id }) => id === drawn)
  const stories = all.slice(Math.max(news, 0))
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
      {news > 0 && (
        <News text={`${counted(news, 'newer event')}.`}>
          <Button label="Show" size="small" onClick={() => setDrawn(newest?.id)} />
        </News>
      )}
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
