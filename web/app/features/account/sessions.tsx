import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { browserName } from '../../lib/browser-name.ts'
import { describeFailure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { endSession, fetchSessions, type KnownSession, signOut } from '../../lib/sign-in.ts'
import { ago } from '../../lib/time.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toast-store.ts'

const SESSIONS = ['sessions']

/** Where the person is signed in, and how to end that here or everywhere. */
export function Sessions() {
  const sessions = useQuery({ queryKey: SESSIONS, queryFn: fetchSessions }).data ?? []
  const leave = useMutation({ mutationFn: signOut, onSuccess: (address) => location.assign(address) })
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
      {leave.error !== null && (
        <Notice tone="danger" role="alert" className="mt-3">
          {describeFailure(leave.error).message}
        </Notice>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        <Button busy={leave.isPending} onClick={() => leave.mutate('here')}>
          Sign out
        </Button>
        <Button busy={leave.isPending} onClick={() => leave.mutate('everywhere')}>
          Sign out everywhere
        </Button>
      </div>
    </section>
  )
}

function SessionRow({ session: { id, userAgent, lastSeenAt, current } }: { session: KnownSession }) {
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: endSession,
    onError: (error) => notify({ text: describeFailure(error).message, tone: 'danger' }),
    onSettled: () => client.invalidateQueries({ queryKey: SESSIONS }),
  })
  return (
    <li className="flex min-h-13 items-center gap-3 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="line-clamp-2 text-sm" title={visibleText(userAgent)}>
          {browserName(userAgent) ?? (visibleText(userAgent) || 'Unknown browser')}
        </p>
        <p className="text-xs text-ink-soft">last seen {ago(lastSeenAt, serverNowMs())}</p>
      </div>
      {current ? (
        <Badge tone="accent">this one</Badge>
      ) : (
        <IconButton label="End this session" disabled={end.isPending} onClick={() => end.mutate(id)}>
          <X aria-hidden size={17} />
        </IconButton>
      )}
    </li>
  )
}
