import { Link } from 'wouter'
import type { Use } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMay } from '../../lib/data/me.ts'
import { type Machine, type MachineGrant, useMachines } from '../../lib/machines/answers.ts'
import { callerWords, dangersOf, reasonWords, seenOf } from '../../lib/machines/attempt-words.ts'
import { proofsOf, warningsOf } from '../../lib/machines/machine-state.ts'
import { type ProofWay, wayNamed } from '../../lib/machines/platforms.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { counted, listed } from '../../lib/words/counted.ts'
import { ago } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Plus, Server } from '../../ui/icons.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Spark } from '../../ui/spark.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { NewMachineDialog } from './machine-forms.tsx'
import { NoMachines } from './no-machines.tsx'

const ROW_HEIGHT_PX = 62

/** The machines of the workspace: who they are, what they may fetch, and what needs attention. */
export function MachinesPage() {
  const machines = useMachines()
  const may = useMay()
  const { textOf, set } = useAddressFields<'new'>()
  const way = wayNamed(textOf('new'))
  const add = (each: ProofWay) => set('new', each)
  return (
    <>
      <PageHeading
        title="Machines"
        intro="CI jobs, deploys and services that fetch values without a person."
        actions={
          may('createMachine') && (
            <Button look="primary" onClick={() => add('github')}>
              <Plus aria-hidden size={17} /> New machine
            </Button>
          )
        }
      />
      <Loaded query={machines} what="the machines">
        {(data) => (
          <>
            <OutdatedNotice query={machines} />
            {data.length === 0 ? <NoMachines onAdd={add} /> : <Machines machines={data} />}
          </>
        )}
      </Loaded>
      {may('createMachine') && way !== null && <NewMachineDialog way={way} onClose={() => set('new', '')} />}
    </>
  )
}

function Machines({ machines }: { machines: readonly Machine[] }) {
  const may = useMay()
  const { textOf, set } = useAddressFields<'query'>()
  const query = textOf('query')
  const { data: uses = [] } = useAnswer('listUse', { by: 'machine' })
  const useOf = new Map(uses.map((use) => [use.id, use]))
  const shown = machines.filter(({ name, description }) => matches(`${name} ${description}`, query))
  return (
    <>
      {may('allowMachineAttempt') && <RefusedMachines machines={machines} />}
      <SearchField
        label="Search machines"
        value={query}
        onChange={(text) => set('query', text)}
        className="mb-4"
      />
      <FoundList
        noun="machine"
        narrowedBy="the search"
        label="Machines"
        items={shown}
        keyOf={({ id }) => id}
        rowHeight={ROW_HEIGHT_PX}
        render={(machine) => <MachineRow machine={machine} use={useOf.get(machine.id)} />}
      />
    </>
  )
}

/** Refused calls that an owner can allow, with what was refused. */
function RefusedMachines({ machines }: { machines: readonly Machine[] }) {
  return machines
    .filter(({ attempts }) => attempts > 0)
    .slice(0, MACHINES_NAMED)
    .map((machine) => <RefusedMachine key={machine.id} machine={machine} />)
}

const MACHINES_NAMED = 3

/** The newest refused call of a machine. An owner allows it here if nothing about it is dangerous. */
function RefusedMachine({ machine }: { machine: Machine }) {
  const { id, name, attempts } = machine
  const [newest] = useAnswer('listMachineAttempts', { machine_id: id }).data ?? []
  const allow = useChange('allowMachineAttempt', { machine_id: id, fingerprint: newest?.fingerprint ?? '' })
  if (newest === undefined) return null
  const isPlain = newest.suggested.length > 0 && dangersOf(newest, new Set(newest.suggested)).length === 0
  return (
    <Notice tone="danger" className="mb-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 basis-72 [overflow-wrap:anywhere]">
          <strong className="font-medium">{name} was refused</strong> {ago(newest.last_at)}:{' '}
          <bdi className="font-mono text-xs">{callerWords(newest)}</bdi>, {reasonWords(newest.reason)}.
          {attempts > 1 && ` ${counted(attempts - 1, 'other call was', 'other calls were')} refused too.`}
        </p>
        <ButtonLink label="Show" href={`/machines/${id}`} />
        {isPlain && (
          <Button
            label="Allow"
            aria-label={`Allow ${callerWords(newest)}`}
            busy={allow.isPending}
            onClick={() =>
              allow.mutate(
                seenOf(newest, newest.suggested),
                withToast(`allow this for ${name}`, `${name} trusts this identity now. Run the job again.`),
              )
            }
          />
        )}
      </div>
    </Notice>
  )
}

const BUNDLES_NAMED = 3

/** One line of the list of machines. */
function MachineRow({ machine, use }: { machine: Machine; use: Use | undefined }) {
  const warnings = warningsOf(machine).filter(({ tone }) => tone !== 'plain')
  const named = (scope: MachineGrant['scope']) =>
    machine.grants.flatMap((grant) => (grant.scope === scope ? [grant.bundle.name] : []))
  const [bundles, listing] = [named('deliver'), named('read')]
  return (
    <Link
      href={`/machines/${machine.id}`}
      className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 -outline-offset-2 hover:bg-sunken/60 sm:px-6"
    >
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-md bg-sunken text-ink-soft"
      >
        <Server size={16} />
      </span>
      <span className="min-w-0 flex-1 basis-44">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <EntryName name={machine.name} className="font-mono text-sm [overflow-wrap:anywhere]" />
          {listing.length > 0 && (
            <span className="rounded-sm bg-sunken px-1.5 py-0.5 text-xs text-ink-soft [overflow-wrap:anywhere]">
              lists names of {listed(listing, 2)}
            </span>
          )}
          {warnings.map(({ name, tone }) => (
            <Badge key={name} tone={tone}>
              {name}
            </Badge>
          ))}
        </span>
        <span className="block truncate text-xs text-ink-soft">{proofsOf(machine).join(' · ')}</span>
      </span>
      <span className="flex max-w-full flex-wrap gap-1.5 overflow-hidden sm:w-56">
        {bundles.slice(0, BUNDLES_NAMED).map((name) => (
          <EnvChip key={name} name={name} isMention />
        ))}
        {bundles.length > BUNDLES_NAMED && (
          <span className="text-xs text-ink-soft">{bundles.length - BUNDLES_NAMED} more</span>
        )}
      </span>
      <span className="hidden w-30 sm:block">
        {use !== undefined && <Spark days={use.days} className="h-5 w-full" />}
      </span>
      <span className="ml-auto w-24 shrink-0 text-right text-xs text-ink-soft">{usedText(machine)}</span>
    </Link>
  )
}

function usedText({ last_delivery_at }: Machine): string {
  return last_delivery_at === null ? 'never used' : ago(last_delivery_at)
}
