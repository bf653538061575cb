import { X } from 'lucide-react'
import type { Proposal } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useMe } from '../../lib/data/me.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { telling } from '../../ui/notify-failure.ts'
import { STATES } from './proposal-words.ts'

const REFETCH_MS = 15_000

/** The person's own proposals of the last days, and what became of them. */
export function OwnProposals() {
  const me = useMe().data?.user_id
  const all = useAnswer('listProposals', {}, { refetchInterval: REFETCH_MS }).data ?? []
  const own = all.filter(({ proposer }) => proposer.id === me)
  if (own.length === 0) return null
  return (
    <section aria-labelledby="own" className="mt-8">
      <h2 id="own" className="text-lg font-semibold">
        Your proposals
      </h2>
      <ul
        aria-labelledby="own"
        className="mt-3 divide-y divide-line rounded-lg border border-line bg-surface"
      >
        {own.map((proposal) => (
          <Own key={proposal.id} proposal={proposal} />
        ))}
      </ul>
    </section>
  )
}

function Own({ proposal }: { proposal: Proposal }) {
  const { id, bundle, entries, detach, state, ended_at, created_at, expires_at } = proposal
  const withdraw = useChange('endProposal', { proposal_id: id })
  const names = [...entries.map(({ name }) => name), ...detach].join(', ')
  const { name, tone } = STATES[state]
  return (
    <li className="flex min-h-13 items-center gap-3 py-2.5 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="font-mono text-sm break-all">
          {bundle.name}: {names}
        </p>
        <p className="text-xs text-ink-soft">
          {ended_at === null ? `${ago(created_at)} · ends ${ahead(expires_at)}` : ago(ended_at)}
        </p>
      </div>
      <Badge tone={tone}>{name}</Badge>
      {state === 'open' && (
        <IconButton
          label={`Withdraw the proposal for ${bundle.name}`}
          icon={X}
          onClick={() => withdraw.mutate(undefined, telling('Withdrew the proposal.'))}
        />
      )}
    </li>
  )
}
