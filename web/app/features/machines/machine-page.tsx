import { useState } from 'react'
import { useAnswer, useChange, without } from '../../lib/calls/use-call.ts'
import { ALL } from '../../lib/data/lists.ts'
import { useMay } from '../../lib/data/me.ts'
import type { Machine } from '../../lib/machines/answers.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { stillCurrent } from '../../lib/rules/still-current.ts'
import { ago } from '../../lib/words/time.ts'
import { ActivityOf } from '../../ui/activity/activity-of.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { GivenValues } from '../../ui/given-values.tsx'
import { Pause, Pencil, Play, Trash2 } from '../../ui/icons.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { SelectField } from '../../ui/select.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { useEnding } from '../../ui/use-ending.ts'
import { EditMachineDialog } from './machine-forms.tsx'
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
  const may = useMay()
  const href = `/machines/${id}`
  return (
    <Tabs
      label="Parts of the machine"
      tabs={[
        { href, name: 'Overview' },
        { href: `${href}/job`, name: 'Job file' },
        ...(may('listAudit') ? [{ href: `${href}/activity`, name: 'Activity' }] : []),
      ]}
    />
  )
}

function MachinePart({ view, machine }: { view: string | undefined; machine: Machine }) {
  if (view === 'activity') return <MachineActivity id={machine.id} />
  if (view === 'job') return <JobFile machine={machine} />
  return <MachineOverview machine={machine} />
}

const SIDES = { calls: 'What it did: deliveries and refusals', changes: 'What people changed' } as const

/** What a machine did, or what people did to it; for owners. */
function MachineActivity({ id }: { id: string }) {
  const may = useMay()
  const { textOf, set } = useAddressFields<'show'>()
  const side = textOf('show') === 'changes' ? 'changes' : 'calls'
  return (
    <>
      {may('listAudit') && (
        <div className="mb-4 max-w-read">
          <SelectField
            label="Show"
            value={side}
            options={SIDES}
            onChange={(text) => set('show', text === 'changes' ? text : '')}
          />
        </div>
      )}
      <ActivityOf id={id} as={side === 'calls' ? 'actor' : 'target'} />
    </>
  )
}

/** The head of a machine's page: its name, what is known of it, and what an owner can do with it. */
function MachineHeading({ machine }: { machine: Machine }) {
  const may = useMay()
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeading
        title={machine.name}
        shown={
          <EntryName
            name={machine.name}
            className="font-mono text-lg tracking-normal [overflow-wrap:anywhere]"
          />
        }
        intro={<MachineIntro machine={machine} />}
        actions={
          may('updateMachine') && (
            <>
              <Button label="Edit" onClick={() => setOpen('edit')} icon={Pencil} />
              <Switch machine={machine} />
              <Button label="Delete" onClick={() => setOpen('delete')} icon={Trash2} />
            </>
          )
        }
      />
      {open === 'edit' && <EditMachineDialog machine={machine} onClose={close} />}
      {open === 'delete' && <DeleteMachineDialog machine={machine} onClose={close} />}
    </>
  )
}

function MachineIntro({ machine }: { machine: Machine }) {
  const { description, created_at, last_delivery_at, audit } = machine
  const used = last_delivery_at === null ? 'never used' : `last delivery ${ago(last_delivery_at)}`
  return (
    <>
      {description !== '' && <p>{description}</p>}
      <p className="mt-1 text-sm">
        Created {ago(created_at)} · {used}
        {audit && ' · may read the audit log'}
      </p>
    </>
  )
}

function Switch({ machine: { id, name, is_active } }: { machine: Machine }) {
  const update = useChange('updateMachine', { machine_id: id })
  const set = (isActive: boolean) => {
    const text = isActive ? `Enabled ${name}.` : `Disabled ${name}. The server refuses its calls.`
    update.mutate(
      { is_active: isActive },
      withToast(`${is_active ? 'disable' : 'enable'} ${name}`, text, () => set(!isActive)),
    )
  }
  return (
    <Button
      label={is_active ? 'Disable' : 'Enable'}
      icon={is_active ? Pause : Play}
      busy={update.isPending}
      onClick={() => set(!is_active)}
    />
  )
}

function receivedOf(given: readonly unknown[] | null): string {
  if (given === null) return 'Values that it received keep working until you change them.'
  if (given.length === 0) return 'It has received no current value.'
  return `It has received ${given.length} current ${given.length === 1 ? 'value' : 'values'}. Keyferry lists them next.`
}

/** Asks before a machine is deleted, and ends in the values that it was given and that are still current. */
function DeleteMachineDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const { id, name } = machine
  const shows = without('listMachines', ALL, id)
  const remove = useChange('deleteMachine', { machine_id: id }, { shows })
  const holdings = useAnswer('listMachineHoldings', { machine_id: id, limit: 1_000 })
  const [isDeleted, setDeleted] = useState(false)
  const given = holdings.data === undefined ? null : stillCurrent(holdings.data)
  const leave = useEnding({ done: `Deleted ${name}.`, leadsTo: '/machines', onClose })
  if (isDeleted) {
    return (
      <GivenValues
        title={`Deleted ${name}`}
        who="It was"
        id={id}
        known={holdings.data}
        onClose={() => leave(null)}
      />
    )
  }
  const end = () => (given !== null && given.length === 0 ? leave(null) : setDeleted(true))
  return (
    <ConfirmChange
      title={`Delete ${name}?`}
      action="Delete machine"
      change={remove}
      onDone={end}
      onClose={onClose}
    >
      <p>Its tokens and identities end at once. Jobs that use this machine fail.</p>
      <p>{receivedOf(given)}</p>
      <p>To stop it for a while, disable it instead.</p>
    </ConfirmChange>
  )
}
