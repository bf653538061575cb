import { Fragment } from 'react'
import { Link } from 'wouter'
import type { Machine } from '../../lib/calls/answers.ts'
import { useMachines } from '../../lib/data/lists.ts'
import { useMay } from '../../lib/data/me.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { proofsOf, warningsOf } from '../../lib/rules/machine-state.ts'
import { listed } from '../../lib/words/counted.ts'
import { type ProofWay, wayNamed } from '../../lib/words/platforms.ts'
import { ago } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Bot, Plus } from '../../ui/icons.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { NewMachineDialog } from './machine-forms.tsx'
import { NoMachines } from './no-machines.tsx'

const ROW_HEIGHT_PX = 62

/** The machines of the workspace: who they are, what they may fetch, and what needs attention. */
export function MachinesPage() {
  const machines = useMachines()
  const may = useMay()
  const { textOf, set } = useAddressFields(['new'])
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
  const { textOf, set } = useAddressFields(['query'])
  const query = textOf('query')
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
        render={(machine) => <MachineRow machine={machine} />}
      />
    </>
  )
}

/** Says at which machines an identity was refused that an owner can allow. */
function RefusedMachines({ machines }: { machines: readonly Machine[] }) {
  const refused = machines.filter(({ attempts }) => attempts > 0)
  if (refused.length === 0) return null
  return (
    <Notice tone="plain" className="mb-4">
      <p>
        Refused calls wait for your decision:{' '}
        {refused.map(({ id, name, attempts }, index) => (
          <Fragment key={id}>
            {index > 0 && ', '}
            <Link href={`/machines/${id}`} className="link font-mono">
              {name}
            </Link>{' '}
            ({attempts})
          </Fragment>
        ))}
      </p>
    </Notice>
  )
}

const BUNDLES_NAMED = 2

/** One line of the list of machines. */
function MachineRow({ machine }: { machine: Machine }) {
  const warnings = warningsOf(machine).filter(({ tone }) => tone !== 'plain')
  return (
    <Link
      href={`/machines/${machine.id}`}
      className="flex min-h-13 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-sunken/60"
    >
      <Bot aria-hidden size={18} strokeWidth={1.7} className="shrink-0 text-accent" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <EntryName name={machine.name} className="font-mono text-sm font-medium [overflow-wrap:anywhere]" />
          {warnings.map(({ name, tone }) => (
            <Badge key={name} tone={tone}>
              {name}
            </Badge>
          ))}
        </span>
        <span className="block truncate text-xs text-ink-soft">
          <span className="sm:hidden">{usedText(machine)} · </span>
          {factsOf(machine)}
        </span>
      </span>
      <span className="hidden shrink-0 text-right text-xs text-ink-faint sm:block">{usedText(machine)}</span>
    </Link>
  )
}

function usedText({ last_delivery_at }: Machine): string {
  return last_delivery_at === null ? 'never used' : `used ${ago(last_delivery_at)}`
}

function factsOf(machine: Machine): string {
  const bundles = machine.grants.map(({ bundle }) => bundle.name)
  return [...proofsOf(machine), listed(bundles, BUNDLES_NAMED)].filter((text) => text !== '').join(' · ')
}
