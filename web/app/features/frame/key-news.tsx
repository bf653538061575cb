import { useSyncExternalStore } from 'react'
import type { ApprovalKey, LastingAct } from '../../lib/calls/answers.ts'
import { pageWorkspace } from '../../lib/calls/workspace.ts'
import { useApprovalKeys, useLastingActs } from '../../lib/data/approval-keys.ts'
import { useMe } from '../../lib/data/me.ts'
import { createListeners, keepText, keptText } from '../../lib/page/kept.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { News } from '../../ui/placed.tsx'

/** A banner for an owner: signing keys changed, or a signed change waits. It stays until *Seen*. */
export function KeyNews() {
  const me = useMe().data
  if (me?.role !== 'owner' || me.auth_mode === 'local') return null
  return <OwnersNews stored={`keyferry.seen-keys.${pageWorkspace()}.${me.user_id}`} />
}

const listeners = createListeners()

function OwnersNews({ stored }: { stored: string }) {
  const keys = useApprovalKeys().data?.keys
  const acts = useLastingActs().data
  const seen = useSyncExternalStore(listeners.subscribe, () => keptText(stored))?.split(' ') ?? []
  if (keys === undefined || acts === undefined) return null
  const text = newsIn(keys, acts, seen)
  if (text === null) return null
  const see = () => {
    keepText(stored, [...keys.map(markOf), ...acts.map(({ id }) => id)].join(' '))
    listeners.notify()
  }
  return (
    <News text={text}>
      <ButtonLink href="/members" size="small" label="See Members" />
      <Button label="Seen" size="small" onClick={see} />
    </News>
  )
}

// The mark of a key changes once it signs. While its confirmation waits, that act is the news.
const markOf = ({ id, state, confirmed_by }: ApprovalKey) =>
  `${id}/${(state === 'active' && confirmed_by) || ''}`

function newsIn(keys: ApprovalKey[], acts: LastingAct[], seen: string[]): string | null {
  const fresh = keys.filter((key) => !seen.includes(markOf(key)))
  const isGone = seen.some((mark) => mark.includes('/') && !keys.some(({ id }) => mark.startsWith(id)))
  // All that is new, so that no warning hides behind harmless news.
  const parts = [
    acts.some(({ id }) => !seen.includes(id)) && 'a signed change waits for another owner or for a day',
    fresh.some(({ state }) => state === 'pending') && 'a signing key waits for its confirmation',
    (isGone || fresh.some(({ state }) => state === 'active')) && 'signing keys were confirmed or removed',
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : `New: ${parts.join(' and ')}.`
}
