import type { ReactNode } from 'react'
import { useMay } from '../../lib/data/me.ts'
import { type ProofWay, WAYS } from '../../lib/machines/platforms.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

/** The list of machines while there is none: what a machine is, and the three ways to get one. */
export function NoMachines({ onAdd }: { onAdd: (way: ProofWay) => void }) {
  const may = useMay()
  return (
    <EmptyState title="No machines yet">
      <p>
        A machine is a program that fetches values without a person: a CI job, a deploy, a service. It gets
        the bundles that an owner allows, and each delivery is recorded. If a person is present, use{' '}
        <code translate="no" className="font-mono">
          keyferry run
        </code>{' '}
        with an approval instead.
      </p>
      {may('createMachine') ? (
        <ul className="space-y-4">
          <WayIn title="A CI job" ways={['github', 'gitlab']} onAdd={onAdd}>
            The job authenticates with the ID token of its platform. You store no secret there.
          </WayIn>
          <WayIn title="A pod, or another platform" ways={['kubernetes', 'other']} onAdd={onAdd}>
            A service account of a cluster, or any OpenID Connect issuer.
          </WayIn>
          <WayIn title="A server with a token" ways={['token']} onAdd={onAdd}>
            If the platform has no ID tokens. A token expires, and you can limit it to networks.
          </WayIn>
        </ul>
      ) : (
        <p>Only owners of the workspace create machines.</p>
      )}
    </EmptyState>
  )
}

type WayInProps = {
  title: string
  ways: readonly ProofWay[]
  onAdd: (way: ProofWay) => void
  children: ReactNode
}

function WayIn({ title, ways, onAdd, children }: WayInProps) {
  return (
    <li>
      <h3 className="font-medium text-ink">{title}</h3>
      <p className="mt-0.5 mb-2 text-sm">{children}</p>
      <div className="flex flex-wrap gap-2">
        {ways.map((way) => (
          <Button label={WAYS[way]} key={way} size="small" onClick={() => onAdd(way)} />
        ))}
      </div>
    </li>
  )
}
