import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import type { Machine } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { LoadingState } from '../../ui/loading-state.tsx'
import { OutdatedNotice } from '../../ui/outdated-notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
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
  const isGone = machine.error !== null && describeFailure(machine.error).status === 404
  if (isGone) return <MachineNotFound />
  if (machine.data === undefined)
    return <LoadingState error={machine.error} onRetry={() => void machine.refetch()} what="the machine" />
  return (
    <>
      <MachineHeading machine={machine.data} />
      <OutdatedNotice query={machine} />
      <MachineTabs id={id} />
      <MachinePart view={view} machine={machine.data} />
    </>
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

function MachineNotFound() {
  return (
    <>
      <PageHeading title="Machine not found" />
      <p className="text-ink-soft">It was deleted, or it belongs to another workspace.</p>
      <Link href="/machines" className="link mt-4 inline-block">
        Go to the machines
      </Link>
    </>
  )
}
