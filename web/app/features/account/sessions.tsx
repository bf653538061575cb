import { useMutation, useQuery } from '@tanstack/react-query'
import { describeFailure } from '../../lib/failure.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { endAllSessions, fetchSessions, signOut } from '../../lib/sign-in.ts'
import { ago } from '../../lib/time.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

const leave = (path: string) => location.assign(path)

/** Where the person is signed in, and how to end that here or everywhere. */
export function Sessions() {
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: fetchSessions })
  const end = useMutation({ mutationFn: signOut, onSuccess: leave })
  const endAll = useMutation({ mutationFn: endAllSessions, onSuccess: () => leave('/') })
  const error = end.error ?? endAll.error
  const known = sessions.data ?? []
  return (
    <section aria-labelledby="sessions" className="mt-8">
      <h2 id="sessions" className="text-sm font-semibold">
        Signed in on
      </h2>
      {known.length > 0 && (
        <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
          {known.map(({ id, userAgent, ip, lastSeenAt, current }) => (
            <li key={id} className="flex min-h-13 items-center gap-3 px-4 py-2">
              <div className="min-w-0 flex-1">
                <p className="line-clamp-2 text-sm">{visibleText(userAgent) || 'Unknown browser'}</p>
                <p className="text-xs text-ink-soft">
                  {visibleText(ip)} · last seen {ago(lastSeenAt, serverNowMs())}
                </p>
              </div>
              {current && <Badge tone="accent">this one</Badge>}
            </li>
          ))}
        </ul>
      )}
      {error !== null && (
        <Notice tone="danger" role="alert" className="mt-3">
          {describeFailure(error).message}
        </Notice>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        <Button busy={end.isPending} onClick={() => end.mutate()}>
          Sign out
        </Button>
        <Button busy={endAll.isPending} onClick={() => endAll.mutate()}>
          Sign out everywhere
        </Button>
      </div>
    </section>
  )
}
