import type { Proposal } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMe } from '../../lib/data/me.ts'
import { STATES } from '../../lib/words/proposal-words.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { X } from '../../ui/icons.ts'
import { Rows, Section } from '../../ui/section.tsx'
import { withToast } from '../../ui/toast-store.ts'

const REFETCH_MS = 15_000

/** The person's own proposals of the last days, and what became of them. */
export function OwnProposals() {
  const me = useMe().data?.user_id
  const all = useAnswer('listProposals', {}, { refetchInterval: REFETCH_MS }).data ?? []
  const own = all.filter(({ proposer }) => proposer.id === me)
  if (own.length === 0) return null
  return (
    <Section title="Your change requests" size="large" className="mt-8">
      <Rows label="Your change requests" className="mt-3">
        {own.map((proposal) => (
          <Own key={proposal.id} proposal={proposal} />
        ))}
      </Rows>
    </Section>
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
        <p translate="no" className="font-mono text-sm break-all">
          {bundle.name}: {names}
        </p>
        <p className="text-xs text-ink-soft">
          {ended_at === null ? `${ago(created_at)} · ends ${ahead(expires_at)}` : ago(ended_at)}
        </p>
      </div>
      <Badge tone={tone}>{name}</Badge>
      {state === 'open' && (
        <IconButton
          label={`Withdraw the change request for ${bundle.name}`}
          icon={X}
          onClick={() => withdraw.mutate(undefined, withToast('withdraw it', 'Withdrew the change request.'))}
        />
      )}
    </li>
  )
}
