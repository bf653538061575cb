import type { DepositPlan, RequestContext } from '../../../lib/calls/answers.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ValueChange } from '../../../ui/import-step/value-change.tsx'
import { Notice } from '../../../ui/notice.tsx'

type Proposal = NonNullable<DepositPlan['proposal']>

const LIST = new Intl.ListFormat('en', { type: 'disjunction' })

/** Why the person can only propose, and who decides then. */
export function ProposalNotice({ proposal: { owners, error } }: { proposal: Proposal }) {
  return (
    <Notice tone="caution" role="alert">
      <strong>{error}. Propose it to the owners.</strong> The server keeps it encrypted for 7 days, until{' '}
      {LIST.format(owners)} decides.
    </Notice>
  )
}

type ProposedListProps = {
  deposit: NonNullable<RequestContext['deposit']>
  proposal: Proposal
  readable: readonly string[]
  onReadable: (names: string[]) => void
}

/** What would be proposed. No one sees a secret value; the person can let the owners read one. */
export function ProposedList({ deposit, proposal, readable, onReadable }: ProposedListProps) {
  const toggle = (name: string, isOn: boolean) =>
    onReadable(isOn ? [...readable, name] : readable.filter((each) => each !== name))
  return (
    <ul aria-label="Variables" className="divide-y divide-line rounded-lg border border-line">
      {deposit.detach.map((name) => (
        <li key={name} className="px-3 py-2.5">
          <p className="font-mono text-sm font-medium break-all">{name}</p>
          <p className="text-xs text-ink-soft">No longer delivered</p>
        </li>
      ))}
      {deposit.entries.map(({ name, is_secret }) => (
        <li key={name} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-3 py-2.5">
          <div className="min-w-0 flex-1 basis-44">
            <p className="font-mono text-sm font-medium break-all">{name}</p>
            <ValueChange before={undefined} after={proposal.values[name]} />
          </div>
          {is_secret === false ? (
            <p className="text-xs text-ink-soft">Owners can read it</p>
          ) : (
            <Checkbox
              className="flex items-center gap-2 text-sm"
              checked={readable.includes(name)}
              onChange={(isOn) => toggle(name, isOn)}
            >
              Not secret: owners can read it
            </Checkbox>
          )}
        </li>
      ))}
    </ul>
  )
}
