import type { RequestContext } from '../../lib/answers.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Countdown } from './countdown.tsx'
import { useArming } from './use-arming.ts'

type DecisionBarProps = {
  context: RequestContext
  count: number | null
  bundleName: string | null
  busy: 'approve' | 'deny' | null
  problem: string | null
  onApprove: () => void
  onDeny: () => void
  onExpired: () => void
}

/** Deny and Approve with the time left. `count` is null when there is nothing to approve. */
export function DecisionBar({
  context,
  count,
  bundleName,
  busy,
  problem,
  onApprove,
  onDeny,
  onExpired,
}: DecisionBarProps) {
  const { active, counts } = useArming()
  return (
    <div className="-mx-4 mt-6 border-t border-line bg-canvas px-4 py-3 sm:-mx-6 sm:px-6 [@media(min-height:34rem)]:sticky [@media(min-height:34rem)]:bottom-0">
      {problem !== null && (
        <Notice tone="danger" role="alert" className="mb-3">
          {problem}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="mr-auto flex min-w-0 flex-wrap items-center gap-x-3 text-sm">
          <Countdown expiresAt={context.expires_at} onEnd={onExpired} />
          {bundleName !== null && <span className="font-mono text-ink-soft">{bundleName}</span>}
        </div>
        <div className="grid w-full grid-cols-2 gap-3 sm:w-auto sm:min-w-88">
          <Button
            look={active ? 'danger' : 'inactive'}
            size="large"
            aria-disabled={!active}
            busy={busy === 'deny'}
            onClick={(press) => counts(press) && onDeny()}
          >
            {busy === 'deny' ? 'Denying…' : 'Deny'}
          </Button>
          <Button
            look={active ? 'primary' : 'inactive'}
            size="large"
            aria-disabled={!active}
            busy={busy === 'approve'}
            disabled={count === null}
            onClick={(press) => counts(press) && onApprove()}
          >
            {busy === 'approve' ? 'Approving…' : <ApproveLabel count={count} />}
          </Button>
        </div>
      </div>
      <ActiveNote active={active} />
    </div>
  )
}

// It keeps its line when it has nothing to say: no button moves under the pointer.
function ActiveNote({ active }: { active: boolean }) {
  return (
    <p role="status" className="mt-1.5 min-h-5 text-xs text-ink-soft sm:text-right">
      {!active && 'To activate the buttons, move the pointer or press a key, then wait one second.'}
    </p>
  )
}

// On a phone the count has a line of its own: both in one would break wherever they happen to.
function ApproveLabel({ count }: { count: number | null }) {
  return (
    <span>
      Approve
      {count !== null && count > 0 && (
        <span className="block text-xs leading-tight font-medium whitespace-nowrap sm:inline sm:text-base sm:font-semibold">
          {' '}
          {count} {count === 1 ? 'key' : 'keys'}
        </span>
      )}
    </span>
  )
}
