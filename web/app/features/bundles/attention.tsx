import { useState } from 'react'
import { Link } from 'wouter'
import type { Key } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { counted } from '../../lib/words/counted.ts'
import { dueText } from '../../lib/words/due.ts'
import { ago } from '../../lib/words/time.ts'
import { EntryLink } from '../../ui/entry-name.tsx'

const SHOWN = 8
const MOST = 100
/** Days after which an older value that someone holds needs attention. */
const STALE_DAYS = 7
const DAY_MS = 86_400_000

/** What needs attention: values that expire or should be replaced, and old values that are held for long. Nothing where
 * nothing waits. */
export function Attention() {
  const [before] = useState(() => new Date(serverNowMs() - STALE_DAYS * DAY_MS).toISOString())
  const due = useAnswer('listKeys', { due: '1', limit: MOST }).data ?? []
  const stale = useAnswer('listStaleKeys', { before, limit: MOST }).data ?? []
  const reasons: { id: string; name: string; href: string; text: string }[] = [
    ...due.toSorted(byUrgency).map((key) => ({ ...key, href: `/keys/${key.id}`, text: dueText(key) ?? '' })),
    ...stale.map(({ id, name, holders, value_set_at }) => ({
      id: `${id} stale`,
      name,
      href: `/keys/${id}`,
      text: `changed ${ago(value_set_at)}, ${holders} ${holders === 1 ? 'holder still has' : 'holders still have'} an older value`,
    })),
  ]
  if (reasons.length === 0) return null
  return (
    <details className="group mb-4 rounded-lg border border-line bg-caution-soft text-sm">
      <summary className="rounded-lg px-4 py-2.5">
        {summaryOf(due.filter((key) => key.due === 'expired').length, due.length, stale.length)}
      </summary>
      <ul aria-label="Keys that need attention" className="border-t border-line px-4 py-1">
        {reasons.slice(0, SHOWN).map(({ id, name, href, text }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 py-1">
            <EntryLink href={href} name={name} />
            <span className="text-ink-soft">{text}</span>
          </li>
        ))}
        {reasons.length > SHOWN && (
          <li className="flex gap-4 py-1">
            <Link href="/keys?filter=due" className="link">
              All keys that are due
            </Link>
            <Link href="/keys?filter=stale" className="link">
              All old values that are held
            </Link>
          </li>
        )}
      </ul>
    </details>
  )
}

const URGENCY = { expired: 0, expiring: 1, rotate: 2 } as const

function byUrgency(a: Key, b: Key): number {
  return URGENCY[a.due ?? 'rotate'] - URGENCY[b.due ?? 'rotate']
}

function summaryOf(expired: number, due: number, stale: number): string {
  const parts = [
    expired === 0 ? '' : `${counted(expired, 'key')} expired`,
    due === expired ? '' : `${counted(due - expired, 'key')} due soon`,
    stale === 0 ? '' : `${counted(stale, 'key')} with an old value held for more than a week`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}
