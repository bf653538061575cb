import type { Machine } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { deferred } from '../../ui/deferred.tsx'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { MachineHeading } from './machine-heading.tsx'
import { MachineOverview } from './machine-overview.tsx'

const JobFile = deferred('JobFile', () => import('./job-file.tsx'))

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
  if (view === 'job') return <JobFile machine={machine} />
  return <MachineOverview machine={machine} />
}

const ActivityList = deferred('ActivityList', () => import('../../ui/activity/activity-list.tsx'))

const SIDES = { calls: 'What it did: deliveries and refusals', changes: 'What people changed' } as const

/** What a machine did, or what people did to it; for owners. */
function MachineActivity({ id }: { id: string }) {
  const isOwner = useIsOwner()
  const { textOf, set } = useAddressFields(['show'])
  const side = textOf('show') === 'changes' ? 'changes' : 'calls'
  if (!isOwner) return <p className="text-ink-soft">Only owners of the workspace see what happened.</p>
  return (
    <>
      <div className="mb-4 max-w-sm">
        <SelectField
          label="Show"
          value={side}
          options={SIDES}
          onChange={(text) => set('show', text === 'changes' ? text : '')}
        />
      </div>
      <ActivityList filter={side === 'calls' ? { actor: id } : { target: id }} />
    </>
  )
}
