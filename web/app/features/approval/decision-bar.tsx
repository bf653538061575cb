import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/failure-notice.tsx'
import { WholeWords } from '../../ui/whole-words.tsx'
import { useArming } from './arming.ts'
import { Countdown } from './countdown.tsx'
import type { Action } from './offer.ts'
import { RememberChoice } from './remember-choice.tsx'
import type { Asking } from './request-state.ts'
import { nextStepOf } from './return-plan.ts'
import type { useDecision } from './use-decision.ts'

type DecisionBarProps = {
  asking: Asking
  workspace: string | null
  /** Null when there is nothing to approve. */
  action: Action | null
  decision: ReturnType<typeof useDecision>
}

/** Deny and Approve, with the time left and with whose account and workspace they act. */
export function DecisionBar({ asking, workspace, action, decision }: DecisionBarProps) {
  const { context, person } = asking.request
  const { problem, plan, isSecond, remember, together } = decision
  const nextStep = nextStepOf(plan, isSecond)
  const others = together.selected.length
  return (
    <div className="-mx-4 mt-6 border-t border-line bg-canvas px-4 pt-3 pb-2 sm:-mx-6 sm:px-6 [@media(min-height:34rem)]:sticky [@media(min-height:34rem)]:bottom-0">
      <Problem text={problem} className="mb-3" />
      <RememberChoice
        {...remember}
        commands={others + 1}
        isAgent={context.requester_meta['agent'] !== undefined}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="mr-auto flex min-w-0 flex-wrap items-center gap-x-3 text-sm sm:block">
          <Countdown expiresAt={context.expires_at} onEnd={() => asking.onEnd('expired')} />
          <p className="min-w-0 text-ink-soft">
            <bdi>{workspace ?? 'No workspace chosen'}</bdi> · <bdi>{person.account}</bdi>
          </p>
          {nextStep !== null && <p className="text-ink-soft">{nextStep}</p>}
        </div>
        <DecisionButtons action={action} others={others} {...decision} />
      </div>
    </div>
  )
}

type ButtonsProps = { action: Action | null; others: number } & Pick<
  DecisionBarProps['decision'],
  'busy' | 'approve' | 'deny'
>

function DecisionButtons({ action, others, busy, approve, deny }: ButtonsProps) {
  const { active, counts } = useArming()
  const shared = { size: 'large', className: 'transition-none', 'aria-disabled': !active } as const
  return (
    <div className="w-full sm:w-auto sm:max-w-1/2 sm:min-w-88">
      <div className="grid grid-cols-[2fr_3fr] gap-3">
        <Button
          label={busy === 'deny' ? 'Denying…' : 'Deny'}
          {...shared}
          look={active ? 'danger' : 'inactive'}
          busy={busy === 'deny'}
          onClick={(press) => counts(press) && deny()}
        />
        <Button
          {...shared}
          label={busy === 'approve' ? 'Approving…' : <ApproveLabel action={action} others={others} />}
          look={active ? 'primary' : 'inactive'}
          busy={busy === 'approve'}
          disabled={action === null}
          onClick={(press) => counts(press) && approve()}
        />
      </div>
      <ActiveNote active={active} />
    </div>
  )
}

// It keeps its line when it has nothing to say: no button moves under the pointer.
function ActiveNote({ active }: { active: boolean }) {
  return (
    <p role="status" className="mt-1 min-h-9 text-xs text-ink-soft sm:min-h-5 sm:text-right">
      {!active && 'Move the pointer or press a key to activate the buttons.'}
    </p>
  )
}

// The choice is on its own line, so that a long label does not break at an arbitrary word.
function ApproveLabel({ action, others }: Pick<ButtonsProps, 'action' | 'others'>) {
  if (action === null || action.name === null || action.count === 0) return 'Approve'
  const { verb, count, thing, where, name, besides } = action
  const isOne = others === 0
  return (
    <span className="min-w-0 py-1">
      {isOne ? verb : `Approve ${others + 1} commands`}{' '}
      <span className="block text-xs leading-tight font-medium">
        {isOne ? (
          <>
            <span className="whitespace-nowrap">{`${count} ${thing}${count === 1 ? '' : 's'}`}</span> {where}{' '}
            <WholeWords text={name} />
            {besides}
          </>
        ) : (
          'each with its own keys'
        )}
      </span>
    </span>
  )
}
