import { useActivityDays } from '../../lib/activity/entries.ts'
import { useMay } from '../../lib/data/me.ts'
import { StoryList } from '../../ui/activity/story-list.tsx'
import { ListFilter } from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import { DayBars } from './day-bars.tsx'
import { CheckpointLine, DownloadButton } from './log-proof.tsx'
import { totalOf, useActivityFilters } from './use-activity-filters.ts'

/** What happened in the workspace, as stories; a member sees what they did. */
export function ActivityPage() {
  const isOwner = useMay()('listAudit')
  const filters = useActivityFilters()
  const { filter, group, isApart, set } = filters
  const { data } = useActivityDays(filter)
  const toggle = () => set('view', isApart ? '' : 'entries')
  return (
    <>
      <PageHeading
        title="Activity"
        intro={isOwner ? undefined : 'What you did in this workspace.'}
        actions={
          <>
            {isOwner && <CheckpointLine />}
            {isOwner && <DownloadButton />}
            <Menu
              label="More for the activity"
              items={[
                { label: isApart ? 'Show as stories' : 'Show as entries', icon: ListFilter, onPick: toggle },
              ]}
            />
          </>
        }
      />
      {data !== undefined && <DayBars days={data} filters={filters} />}
      <ActivityFilters filters={filters} days={data?.days ?? []} isOwner={isOwner} />
      <StoryList
        key={JSON.stringify([filter, isApart])}
        filter={filter}
        apart={isApart}
        countOf={(day) => {
          const counted = data?.days.find((each) => each.day === day)
          return counted === undefined || isApart ? undefined : totalOf(counted.counts, group)
        }}
      />
    </>
  )
}
