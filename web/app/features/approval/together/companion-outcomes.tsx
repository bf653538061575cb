import { CircleAlert, CircleCheck, CircleSlash, Hourglass, type LucideIcon } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'
import type { KeptCompanion } from '../kept.ts'
import { type CompanionState, useCompanionStates } from './companion-state.ts'

const WAITING = { Icon: Hourglass, tone: 'text-ink-faint' }
const ENDED = { Icon: CircleSlash, tone: 'text-ink-faint' }
const FAILED = { Icon: CircleAlert, tone: 'text-danger', needsPage: true }

type Look = { text: string; Icon: LucideIcon; tone: string; needsPage?: boolean }

const LOOKS: Readonly<Record<CompanionState, Look>> = {
  underway: { text: 'On its way', ...WAITING },
  delivered: { text: 'Delivered', Icon: CircleCheck, tone: 'text-good' },
  not_approved: { text: 'Not approved', ...FAILED },
  not_returned: { text: 'Approved, but it did not reach its program.', ...FAILED },
  denied: { text: 'Denied', ...ENDED },
  withdrawn: { text: 'Cancelled by the terminal', ...ENDED },
  expired: { text: 'Expired', ...WAITING },
}

/** What became of each command that was approved beside this request. */
export function CompanionOutcomes({ requestId }: { requestId: string }) {
  const states = useCompanionStates(requestId)
  if (states.length === 0) return null
  return (
    <section
      aria-labelledby="together"
      className="mx-auto -mt-2 mb-6 max-w-xl rounded-lg border border-line bg-surface p-6 sm:-mt-8 sm:p-8"
    >
      <h2 id="together" className="text-sm font-semibold">
        Started together
      </h2>
      <ul className="mt-3 space-y-4">
        {states.map(({ kept, state }) => (
          <li key={kept.requestId}>
            <Outcome kept={kept} state={state} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Outcome({ kept, state }: { kept: KeptCompanion; state: CompanionState }) {
  const { text, Icon, tone, needsPage } = LOOKS[state]
  return (
    <div className="flex gap-2.5">
      <Icon aria-hidden size={18} className={classNames('mt-0.5 shrink-0', tone)} />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium">
          <WholeWords text={kept.command} />
        </p>
        <p className="text-ink-soft">
          <bdi className="font-mono text-ink [overflow-wrap:anywhere]">{kept.bundle}</bdi> ·{' '}
          <span role="status">{kept.problem === null ? text : `Not approved: ${kept.problem}`}</span>{' '}
          {needsPage && (
            <a href={`/approve/${kept.requestId}`} className="link">
              Open its page
            </a>
          )}
        </p>
      </div>
    </div>
  )
}
