import { type ReactNode, useEffect } from 'react'
import { useNow } from '../../lib/page/use-now.ts'
import { clockTime } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { Guard } from '../../ui/confirm-change.tsx'
import { Problem } from '../../ui/notice.tsx'
import { useArming } from './arming.ts'
import type { RequestView } from './request-state.ts'
import type { useDecision } from './use-decision.ts'

type DecisionBarProps = {
  asking: RequestView
  workspace: string | null
  /** What Approve says. */
  label: string
  /** The names of what makes the approval dangerous. */
  dangers: readonly string[]
  /** There is nothing to approve. */
  isNothing: boolean
  decision: ReturnType<typeof useDecision>
  /** The second question, over the buttons, whose answer needs a look of its own; null: it is not asked. */
  question: ((guard: Guard) => ReactNode) | null
}

/** Deny and Approve, always in view, with the time left and with whose account and workspace they act. */
export function DecisionBar({ asking, workspace, decision, ...approving }: DecisionBarProps) {
  const { context, person } = asking.request
  return (
    <div
      id="decision"
      tabIndex={-1}
      className="sticky bottom-0 -mx-4 mt-auto max-h-dvh overflow-y-auto border-t border-line bg-canvas px-4 py-2 sm:-mx-6 sm:px-6"
    >
      <Problem text={decision.problem} className="mb-2" />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 text-sm text-ink-soft">
          <Countdown expiresAt={context.expires_at} onEnd={() => asking.onEnd('expired')} /> ·{' '}
          <bdi>{person.account}</bdi> · <bdi>{workspace ?? 'No workspace chosen'}</bdi>
        </p>
        <DecisionButtons of={decision.choice} {...approving} {...decision} />
      </div>
    </div>
  )
}

type ButtonsProps = Omit<DecisionBarProps, 'asking' | 'workspace' | 'decision'> & {
  /** What is chosen: with another choice the buttons become active anew. */
  of: string
} & Pick<DecisionBarProps['decision'], 'busy' | 'approve' | 'deny'>

function DecisionButtons({ of, label, dangers, isNothing, busy, approve, deny, question }: ButtonsProps) {
  const isAsking = question !== null
  const { fill, ...guard } = useArming(JSON.stringify([of, label, dangers, isAsking]))
  const { active, buttons, counts } = guard
  const shared = {
    size: 'large',
    className: 'relative overflow-clip transition-none',
    'aria-disabled': !active,
  } as const
  return (
    <>
      <div ref={isAsking ? null : buttons} className="grid w-full grid-cols-[2fr_5fr] gap-3 sm:w-104">
        <Button
          label={busy === 'deny' ? 'Denying…' : 'Deny'}
          {...shared}
          look={active ? 'neutral' : 'inactive'}
          busy={busy === 'deny'}
          onClick={(press) => counts(press) && deny()}
        />
        <Button
          {...shared}
          look={active ? (dangers.length > 0 ? 'danger' : 'primary') : 'inactive'}
          busy={busy === 'approve'}
          disabled={isNothing}
          onClick={(press) => counts(press) && approve()}
        >
          {!active && fill !== null && (
            <span
              key={fill.round}
              aria-hidden
              className={classNames(
                'fill absolute inset-0 origin-left',
                dangers.length > 0 ? 'bg-danger-fill' : 'bg-accent',
              )}
              style={{ animationDuration: `${fill.ms}ms` }}
            />
          )}
          <span className="relative">{busy === 'approve' ? 'Approving…' : label}</span>
        </Button>
      </div>
      {question?.(guard)}
    </>
  )
}

const SPOKEN_AT_SECONDS = [10, 30, 60]

/** The time left, ticking; spoken to screen readers only when it grows short. */
function Countdown({ expiresAt, onEnd }: { expiresAt: string; onEnd: () => void }) {
  const leftMs = Date.parse(expiresAt) - useNow(500)
  const over = leftMs <= 0
  useEffect(() => {
    if (over) onEnd()
  }, [over, onEnd])
  const spoken = SPOKEN_AT_SECONDS.find((seconds) => leftMs <= seconds * 1_000)
  return (
    <>
      <span className={classNames('whitespace-nowrap', leftMs < 60_000 && 'font-semibold text-caution')}>
        <span className="sr-only">Expires in </span>
        <span role="timer">{clockTime(leftMs)}</span>
      </span>
      <span className="sr-only" aria-live="polite">
        {spoken === undefined ? '' : `${spoken} seconds or less are left.`}
      </span>
    </>
  )
}
