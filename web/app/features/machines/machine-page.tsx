import { lazy, Suspense } from 'react'
import type { Machine } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { MachineActivity } from './machine-activity.tsx'
import { MachineHeading } from './machine-heading.tsx'
import { MachineOverview } from './machine-overview.tsx'

const JobFile = lazy(async () => ({ default: (await import('./job-file.tsx')).JobFile }))

// A call of the machine shows while the page is open.
const REFETCH_MS = 15_000

/** One machine: what it may fetch, how it proves itself, the file for its job, and what it did. */
export function MachinePage({ id, view }: { id: string; view: string | undefined }) {
  const machine = useAnswer('getMachine', { machine_id: id }, { refetchInterval: REFETCH_MS })
  return (
    <Loaded
      query={machine}
      what="the machine"
      missing={<NotFound what="Machine" href="/machines" list="machines" />}
      follows
    >
      {(data) => (
        <>
          <MachineHeading machine={data} />
          <OutdatedNotice query={machine} />
          <MachineTabs id={id} />
          <MachinePart view={view} machine={data} />
        </>
      )}
    </Loaded>
  )
}

function MachineTabs({ id }: { id: string }) {
  const isOwner = useIsOwner()
  const href = `/machines/${id}`
  return (
    <Tabs
      label="Parts of the machine"
      tabs={[
        { href, name: 'Overview' },
        { href: `${href}/job`, name: 'Job file' },
        ...(isOwner ? [{ href: `${href}/activity`, name: 'Activity' }] : []),
      ]}
    />
  )
}

function MachinePart({ view, machine }: { view: string | undefined; machine: Machine }) {
  if (view === 'activity') return <MachineActivity id={machine.id} />
  if (view === 'job')
    return (
      <Suspense fallback={null}>
        <JobFile machine={machine} />
      </Suspense>
    )
  return <MachineOverview machine={machine} />
}
