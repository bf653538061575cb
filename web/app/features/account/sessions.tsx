import { X } from 'lucide-react'
import type { OwnSession } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange, useSteps } from '../../lib/calls/use-change.ts'
import { signOut } from '../../lib/data/sign-in.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { ago } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { notifyFailure } from '../../ui/notify-failure.ts'

/** Where the person is signed in, and how to end that here or everywhere. */
export function Sessions() {
  const sessions = useAnswer('listSessions', {}).data ?? []
  const signingOut = useSteps(signOut)
  const leave = (where: 'here' | 'everywhere') =>
    signingOut.mutate(where, { onSuccess: (address) => location.assign(address) })
  return (
    <section aria-labelledby="sessions" className="mt-8">
      <h2 id="sessions" className="text-sm font-semibold">
        Signed in on
      </h2>
      {sessions.length > 0 && (
        <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      <FailureNotice error={signingOut.error} className="mt-3" />
      <div className="mt-4 flex flex-wrap gap-3">
        <Button label="Sign out" busy={signingOut.isPending} onClick={() => leave('here')} />
        <Button label="Sign out everywhere" busy={signingOut.isPending} onClick={() => leave('everywhere')} />
      </div>
    </section>
  )
}

function SessionRow({ session }: { session: OwnSession }) {
  const { id, current, last_seen_at } = session
  const userAgent = visibleText(session.user_agent)
  const end = useChange('endSession', { id })
  return (
    <li className="flex min-h-13 items-center gap-3 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="line-clamp-2 text-sm" title={userAgent}>
          {browserName(session.user_agent) ?? (userAgent || 'Unknown browser')}
        </p>
        <p className="text-xs text-ink-soft">last seen {ago(last_seen_at)}</p>
      </div>
      {current ? (
        <Badge tone="accent">this one</Badge>
      ) : (
        <IconButton
          label="End this session"
          disabled={end.isPending}
          onClick={() => end.mutate(undefined, { onError: notifyFailure })}
          icon={X}
          px={17}
        />
      )}
    </li>
  )
}
