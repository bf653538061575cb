import { Link } from 'wouter'
import { useMay } from '../../lib/data/me.ts'
import { type Machine, useMachines } from '../../lib/machines/answers.ts'
import { proofsOf, SCOPES } from '../../lib/machines/machine-state.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { LoadingState, OutdatedNotice } from '../../ui/loaded.tsx'
import { Rows } from '../../ui/section.tsx'

/** Which machines may use a bundle, without a question. */
export function BundleMachines({ bundleId }: { bundleId: string }) {
  const machines = useMachines()
  const may = useMay()
  if (machines.data === undefined) return <LoadingState query={machines} what="the machines" />
  const using = machines.data.filter(({ grants }) => grants.some(({ bundle }) => bundle.id === bundleId))
  if (using.length === 0) {
    return (
      <EmptyState title="No machine may use this bundle">
        <p>
          A machine is a CI job or a service that fetches values without a person.{' '}
          {may('grantBundle')
            ? 'Add this bundle on the page of a machine.'
            : 'Owners add bundles to machines.'}
        </p>
        <Link href="/machines" className="link">
          Go to the machines
        </Link>
      </EmptyState>
    )
  }
  return (
    <>
      <OutdatedNotice query={machines} />
      <p className="mb-3 max-w-read text-sm text-ink-soft">
        These machines use the bundle at any time, without an approval.
      </p>
      <Rows label="Machines">
        {using.map((machine) => (
          <MachineLine key={machine.id} machine={machine} bundleId={bundleId} />
        ))}
      </Rows>
    </>
  )
}

function MachineLine({ machine, bundleId }: { machine: Machine; bundleId: string }) {
  const scope = machine.grants.find(({ bundle }) => bundle.id === bundleId)?.scope ?? 'read'
  const proofs = proofsOf(machine).join(', ')
  return (
    <li>
      <Link
        href={`/machines/${machine.id}`}
        className="flex min-h-13 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-sunken/60"
      >
        <span className="min-w-0 flex-1">
          <EntryName
            name={machine.name}
            className="block font-mono text-sm font-medium [overflow-wrap:anywhere]"
          />
          <span className="text-xs text-ink-soft">{proofs === '' ? 'Cannot sign in' : proofs}</span>
        </span>
        {!machine.is_active && <Badge tone="caution">Disabled</Badge>}
        <span className="shrink-0 text-sm text-ink-soft">{SCOPES[scope]}</span>
      </Link>
    </li>
  )
}
