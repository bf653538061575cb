import { useEffect, useState } from 'react'
import type { RequestContext } from '../../../lib/calls/answers.ts'
import { describeFailure, type Failure } from '../../../lib/calls/failure.ts'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { IconComponent } from '../../../ui/icon.tsx'
import { CircleAlert, CircleCheck, CircleSlash, Hourglass } from '../../../ui/icons.ts'
import { WholeWords } from '../../../ui/whole-words.tsx'
import { call } from '../calls.ts'
import { type KeptCompanion, keptCompanions } from '../kept.ts'
import { endOf } from '../request-state.ts'

const WAITING = { Icon: Hourglass, tone: 'text-ink-faint' }
const ENDED = { Icon: CircleSlash, tone: 'text-ink-faint' }
const FAILED = { Icon: CircleAlert, tone: 'text-danger', needsPage: true }

type OutcomeLook = { text: string; Icon: IconComponent; tone: string; needsPage?: boolean }

const LOOKS: Readonly<Record<CompanionState, OutcomeLook>> = {
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
      className="bg-surface p-4 sm:mx-auto sm:my-4 sm:w-[calc(100%-2rem)] sm:max-w-read sm:rounded-lg sm:p-8 sm:shadow-card"
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

/** What became of an approval beside another. */
type CompanionState =
  | 'underway'
  | 'delivered'
  | 'not_approved'
  | 'not_returned'
  | 'denied'
  | 'withdrawn'
  | 'expired'

/** The state of a request that still exists. */
export function stateOf(
  { status, held }: Pick<RequestContext, 'status' | 'held'>,
  nowMs = serverNowMs(),
): CompanionState {
  if (status === 'pending') return 'not_approved'
  const isLate = status === 'held' && held ? Date.parse(held.until) <= nowMs : false
  return isLate ? 'not_returned' : 'underway'
}

/** 404 without a reason means delivered. */
export function stateOfFailure(failure: Failure): CompanionState | null {
  const end = endOf(failure, null, 0)
  if (end === 'denied' || end === 'withdrawn' || end === 'expired') return end
  return end === 'gone' ? 'delivered' : null
}

const LOOK_EVERY_MS = 1_000

const IS_OPEN: ReadonlySet<CompanionState> = new Set(['underway', 'not_approved', 'not_returned'])

/** What became of each approval beside this request, watched until each has ended. */
function useCompanionStates(requestId: string): readonly { kept: KeptCompanion; state: CompanionState }[] {
  const [kept] = useState(() => keptCompanions(requestId))
  const [states, setStates] = useState<ReadonlyMap<string, CompanionState>>(new Map())
  const open = kept.filter(({ requestId: id }) => IS_OPEN.has(states.get(id) ?? 'underway'))
  const openIds = open.map(({ requestId: id }) => id).join(' ')
  useEffect(() => {
    if (openIds === '') return undefined
    const look = () => {
      for (const id of openIds.split(' '))
        void stateNow(id).then((state) => state && setStates((before) => new Map(before).set(id, state)))
    }
    look()
    const timer = setInterval(look, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [openIds])
  return kept.map((each) => ({ kept: each, state: states.get(each.requestId) ?? 'underway' }))
}

// Keep the last state if the server does not answer.
async function stateNow(requestId: string): Promise<CompanionState | null> {
  try {
    return stateOf(await call('getRequestContext', { request_id: requestId }))
  } catch (error) {
    return stateOfFailure(describeFailure(error))
  }
}
