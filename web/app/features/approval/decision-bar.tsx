import type { ComponentProps } from 'react'
import type { RequestContext } from '../../lib/answers.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { WholeWords } from '../../ui/whole-words.tsx'
import { Countdown } from './countdown.tsx'
import { RememberChoice } from './remember-choice.tsx'
import type { RequestKind } from './request-state.ts'
import { useArming } from './use-arming.ts'

/** A request for names without a bundle lists bundles. */
type Shown = RequestKind | 'bundles'

/** `count`: keys, variables, names or bundles. `removed`: how many of a deposit's variables the bundle no longer delivers. */
type Approved = { count: number; removed?: number; bundle: string | null; others: number; kind: Shown }

type DecisionBarProps = {
  context: RequestContext
  /** What is approved; null when there is nothing to approve. */
  choice: Approved | null
  workspace: string | null
  account: string
  /** What happens after approving: the person types a code into the terminal; null: nothing. */
  nextStep: string | null
  remember: ComponentProps<typeof RememberChoice>
  busy: 'approve' | 'deny' | null
  problem: string | null
  onApprove: () => void
  onDeny: () => void
  onExpired: () => void
}

/** Deny and Approve, with the time left and with whose account and workspace they act. */
export function DecisionBar({
  context,
  workspace,
  account,
  nextStep,
  remember,
  problem,
  onExpired,
  ...buttons
}: DecisionBarProps) {
  return (
    <div className="-mx-4 mt-6 border-t border-line bg-canvas px-4 pt-3 pb-2 sm:-mx-6 sm:px-6 [@media(min-height:34rem)]:sticky [@media(min-height:34rem)]:bottom-0">
      {problem !== null && (
        <Notice tone="danger" role="alert" className="mb-3">
          {problem}
        </Notice>
      )}
      <RememberChoice {...remember} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="mr-auto flex min-w-0 flex-wrap items-center gap-x-3 text-sm sm:block">
          <Countdown expiresAt={context.expires_at} onEnd={onExpired} />
          <p className="min-w-0 text-ink-soft">
            <bdi>{workspace ?? 'No workspace chosen'}</bdi> · <bdi>{account}</bdi>
          </p>
          {nextStep !== null && <p className="text-ink-soft">{nextStep}</p>}
        </div>
        <DecisionButtons {...buttons} />
      </div>
    </div>
  )
}

type ButtonsProps = Pick<DecisionBarProps, 'choice' | 'busy' | 'onApprove' | 'onDeny'>

function DecisionButtons({ choice, busy, onApprove, onDeny }: ButtonsProps) {
  const { active, counts } = useArming()
  const shared = { size: 'large', className: 'transition-none', 'aria-disabled': !active } as const
  return (
    <div className="w-full sm:w-auto sm:max-w-1/2 sm:min-w-88">
      <div className="grid grid-cols-[2fr_3fr] gap-3">
        <Button
          {...shared}
          look={active ? 'danger' : 'inactive'}
          busy={busy === 'deny'}
          onClick={(press) => counts(press) && onDeny()}
        >
          {busy === 'deny' ? 'Denying…' : 'Deny'}
        </Button>
        <Button
          {...shared}
          look={active ? 'primary' : 'inactive'}
          busy={busy === 'approve'}
          disabled={choice === null}
          onClick={(press) => counts(press) && onApprove()}
        >
          {busy === 'approve' ? 'Approving…' : <ApproveLabel choice={choice} />}
        </Button>
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

const WORDS = {
  delivery: ['Approve', 'key', 'of'],
  deposit: ['Store', 'variable', 'in'],
  names: ['List', 'name', 'of'],
  bundles: ['List', 'bundle', 'of'],
} as const satisfies Record<Shown, readonly string[]>

const REMOVAL = ['Remove', 'variable', 'from'] as const

// The choice is on its own line, so that a long label does not break at an arbitrary word.
function ApproveLabel({ choice }: { choice: DecisionBarProps['choice'] }) {
  if (choice === null || choice.bundle === null || choice.count === 0) return 'Approve'
  const { count, removed = 0, bundle, others, kind } = choice
  if (others > 0) {
    return (
      <span className="min-w-0 py-1">
        Approve {others + 1} commands{' '}
        <span className="block text-xs leading-tight font-medium">each with its own keys</span>
      </span>
    )
  }
  const isRemoval = removed === count
  const [verb, thing, where] = isRemoval ? REMOVAL : WORDS[kind]
  const shown = isRemoval ? count : count - removed
  return (
    <span className="min-w-0 py-1">
      {verb}{' '}
      <span className="block text-xs leading-tight font-medium">
        <span className="whitespace-nowrap">{`${shown} ${thing}${shown === 1 ? '' : 's'}`}</span> {where}{' '}
        <WholeWords text={bundle} />
        {removed > 0 && !isRemoval && `, and remove\u00a0${removed}`}
      </span>
    </span>
  )
}
