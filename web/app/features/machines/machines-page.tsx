import { Plus } from 'lucide-react'
import { Fragment, useState } from 'react'
import { Link } from 'wouter'
import type { Machine } from '../../lib/calls/answers.ts'
import { useMachines } from '../../lib/data/machines.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { matches } from '../../lib/page/search.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { Button } from '../../ui/button.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import type { Way } from './identities/ways.ts'
import { NewMachineDialog } from './machine-forms.tsx'
import { MachineRow } from './machine-row.tsx'
import { NoMachines } from './no-machines.tsx'

const ROW_HEIGHT_PX = 62

/** The machines of the workspace: who they are, what they may fetch, and what needs attention. */
export function MachinesPage() {
  const machines = useMachines()
  const isOwner = useIsOwner()
  const [adding, setAdding] = useState<Way | null>(null)
  return (
    <>
      <PageHeading
        title="Machines"
        intro="CI jobs, deploys and services that fetch values without a person."
        actions={
          isOwner && (
            <Button look="primary" onClick={() => setAdding('github')}>
              <Plus aria-hidden size={17} /> New machine
            </Button>
          )
        }
      />
      <Loaded query={machines} what="the machines">
        {(data) => (
          <>
            <OutdatedNotice query={machines} />
            {data.length === 0 ? (
              <NoMachines isOwner={isOwner} onAdd={setAdding} />
            ) : (
              <Machines machines={data} isOwner={isOwner} />
            )}
          </>
        )}
      </Loaded>
      {adding !== null && <NewMachineDialog way={adding} onClose={() => setAdding(null)} />}
    </>
  )
}

function Machines({ machines, isOwner }: { machines: readonly Machine[]; isOwner: boolean }) {
  const { textOf, set } = useAddressFields(['query'])
  const query = textOf('query')
  const shown = machines.filter(({ name, description }) => matches(`${name} ${description}`, query))
  return (
    <>
      {isOwner && <RefusedMachines machines={machines} />}
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
