import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { pageWorkspace } from '../../lib/calls/workspace.ts'
import { useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { Inbox } from '../../ui/icons.ts'

/** The way to what waits for this person, with how much that is. */
export function WaitingLink() {
  const { items, isShared } = useWaiting()
  useNotification(items?.map(waitingId))
  if (!isShared) return null
  const count = items?.length ?? 0
  return (
    <Link
      href="/"
      // On home, this shows what has come since.
      state={items?.map(waitingId).join(' ')}
      aria-label={count === 0 ? 'Waiting for you' : `Waiting for you: ${shown(count)}`}
      title="Waiting for you"
      className="relative inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <Inbox aria-hidden size={18} />
      {count > 0 && (
        <span
          aria-hidden
          className="absolute -top-0.5 -right-0.5 min-w-4.5 rounded-full bg-accent px-1 text-center text-xs font-semibold text-on-accent"
        >
          {shown(count)}
        </span>
      )}
    </Link>
  )
}

const MOST = 9

function shown(count: number): string {
  return count > MOST ? `${MOST}+` : String(count)
}

/** Tell the person, if they allow it, that something new waits. The notification has no name and decides nothing. */
function useNotification(ids: readonly string[] | undefined): void {
  const known = useRef<ReadonlySet<string> | null>(null)
  const [, navigate] = useLocation()
  const key = ids?.join(' ')
  useEffect(() => {
    if (key === undefined) return
    const now = new Set(key.match(/\S+/g))
    const isNew = known.current !== null && [...now].some((id) => known.current?.has(id) === false)
    known.current = now
    if (!isNew || !('Notification' in window) || Notification.permission !== 'granted') return
    const notification = new Notification('A decision waits for you', {
      tag: `keyferry-${pageWorkspace()}`,
      body: 'Open Keyferry to see whose.',
    })
    notification.addEventListener('click', () => {
      window.focus()
      navigate('/')
      notification.close()
    })
  }, [key, navigate])
}
