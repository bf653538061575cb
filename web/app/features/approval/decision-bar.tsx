import { type ReactNode, useEffect, useState } from 'react'
import { useArming } from '../../lib/page/arming.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { clockTime } from '../../lib/words/time.ts'
import { ArmingButton } from '../../ui/arming-button.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { IconComponent } from '../../ui/icon.tsx'
import { Problem } from '../../ui/notice.tsx'
import type { RequestView } from './request-state.ts'
import type { useDecision } from './use-decision.ts'

/** When presses count, and where the buttons are. */
export type Guard = ReturnType<typeof useArming>

type DecisionBarProps = {
  asking: RequestView
  workspace: string | null
  /** What Approve says. */
  label: string
  /** Before what Approve says. */
  Icon: IconComponent | null
  /** Approving gives or changes what production uses. */
  isProduction: boolean
  /** The names of what makes the approval dangerous. */
  dangers: readonly string[]
  /** There is nothing to approve. */
  isNothing: boolean
  /** All that is approved is chosen. Otherwise Approve only says what is missing. */
  isChosen: boolean
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
      className="sticky bottom-0 max-h-dvh overflow-y-auto border-t border-line bg-surface sm:border-0"
    >
      <div className="px-4 pt-3 sm:px-8 sm:pb-6">
        <Problem text={decision.problem} className="mb-3" />
        <DecisionButtons of={decision.choice} {...approving} {...decision} />
      </div>
      <p className="flex flex-wrap justify-between gap-x-4 border-line px-4 py-2 text-xs text-ink-faint sm:border-t sm:px-8 sm:py-3">
        <span className="min-w-0">
          You are <bdi>{person.account}</bdi> in <bdi>{workspace ?? 'no workspace yet'}</bdi>
        </span>
        <Countdown expiresAt={context.expires_at} onEnd={() => asking.onEnd('expired')} />
      </p>
    </div>
  )
}

type ButtonsProps = Omit<DecisionBarProps, 'asking' | 'workspace' | 'decision'> & {
  /** What is chosen: with another choice the buttons become active anew. */
  of: string
} & Pick<DecisionBarProps['decision'], 'busy' | 'approve' | 'deny' | 'isLured'>

function DecisionButtons({
  of,
  label,
  Icon,
  isProduction,
  dangers,
  isNothing,
  isChosen,
  question,
  ...acts
}: ButtonsProps) {
  const { busy, approve, deny, isLured } = acts
  const isAsking = question !== null
  const guard = useArming(JSON.stringify([of, label, dangers, isAsking]))
  const { active, fill, buttons, counts } = guard
  const [early, tooEarly] = useEarlyPress()
  useMoves()
  const press = (act: () => void) => (click: Parameters<typeof counts>[0]) =>
    counts(click) ? act() : tooEarly()
  return (
    <>
      <div
        ref={isAsking ? null : buttons}
        className={classNames(
          'relative gap-3',
          // With large letters the buttons stand one above the other.
          isLured ? 'grid grid-cols-2' : 'flex flex-wrap *:flex-[99_1_12rem] *:first:flex-[1_0_7rem]',
        )}
      >
        <Button
          label={busy === 'deny' ? 'Denying…' : isNothing ? 'Deny, and tell the terminal' : 'Deny'}
          size="large"
          aria-disabled={!active}
          look={isLured ? 'ink' : 'neutral'}
          busy={busy === 'deny'}
          onClick={press(deny)}
        />
        {!isNothing && (
          <ArmingButton
            label={busy === 'approve' ? 'Approving…' : label}
            Icon={Icon}
            size="large"
            active={active}
            fill={isChosen ? fill : null}
            look={isChosen ? (isLured ? 'neutral' : isProduction ? 'danger' : 'primary') : 'inactive'}
            busy={busy === 'approve'}
            onClick={press(approve)}
          />
        )}
        <EarlyNote isShown={early && !active} />
      </div>
      {question?.(guard)}
    </>
  )
}

/** Renders the buttons again when they may have moved, so that they show that the second starts again. */
function useMoves(): void {
  const [, setMoves] = useState(0)
  useEffect(() => {
    const card = document.getElementById('decision')?.parentElement
    if (card == null) return undefined
    const observer = new ResizeObserver(() => setMoves((count) => count + 1))
    observer.observe(card)
    return () => observer.disconnect()
  }, [])
}

const NOTE_MS = 2_000

/** Whether a press came too early a moment ago, and what notes one. */
function useEarlyPress(): [isEarly: boolean, note: () => void] {
  const [presses, setPresses] = useState(0)
  useEffect(() => {
    if (presses === 0) return undefined
    const timer = setTimeout(() => setPresses(0), NOTE_MS)
    return () => clearTimeout(timer)
  }, [presses])
  return [presses > 0, () => setPresses((count) => count + 1)]
}

// Over the buttons, so that it moves nothing.
function EarlyNote({ isShown }: { isShown: boolean }) {
  return (
    <p role="status" className="pointer-events-none absolute inset-x-0 -top-2 flex justify-center">
      {isShown && (
        <span className="rounded-sm bg-ink px-2 py-0.5 text-xs text-surface">One moment: read first</span>
      )}
    </p>
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
      <span
        className={classNames(
          'min-w-[5.5em] text-right whitespace-nowrap',
          leftMs < 60_000 && 'font-semibold text-caution',
        )}
      >
        <span className="sr-only">Expires in </span>
        <span role="timer">{clockTime(leftMs)}</span> left
      </span>
      <span className="sr-only" aria-live="polite">
        {spoken === undefined ? '' : `${spoken} seconds or less are left.`}
      </span>
    </>
  )
}
