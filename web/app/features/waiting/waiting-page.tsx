import { Bell, BellOff } from 'lucide-react'
import { useState } from 'react'
import type { WaitingItem } from '../../lib/calls/answers.ts'
import { mute, useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { counted } from '../../lib/words/counted.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Button, ButtonLink, buttonClasses } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnProposals } from './own-proposals.tsx'
import { nameOf, senderText } from './proposal-words.ts'

/** What other people of the workspace ask this person to decide, and what became of the person's own proposals. */
export function WaitingPage() {
  const { query, items, isShared, muted } = useWaiting()
  return (
    <div className="max-w-3xl">
      <PageHeading
        title="Waiting for you"
        intro="What other people of this workspace ask you to decide."
        actions={<NotifyButton />}
      />
      {query.data !== undefined && <OutdatedNotice query={query} />}
      {isShared ? (
        <Loaded query={{ ...query, data: items }} what="what waits">
          {(all) => (all.length === 0 ? <Nothing /> : <Items items={all} />)}
        </Loaded>
      ) : (
        <Nothing />
      )}
      <Muted items={muted} />
      {isShared && <OwnProposals />}
    </div>
  )
}

function Nothing() {
  return (
    <EmptyState title="Nothing waits for you">
      <p>
        Requests that others may not approve, approvals that need a second person, and values that members
        propose appear here.
      </p>
    </EmptyState>
  )
}

function Items({ items }: { items: readonly WaitingItem[] }) {
  return (
    <ul
      aria-label="Waiting for you"
      className="divide-y divide-line rounded-lg border border-line bg-surface"
    >
      {items.map((item) => (
        <li key={waitingId(item)} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 pr-2 pl-4">
          <div className="min-w-0 flex-1 basis-64">
            <p className="break-words">{textOf(item)}</p>
            <p className="text-xs text-ink-soft">{factsOf(item)}</p>
          </div>
          <Decide item={item} />
          <IconButton
            label={`Mute ${nameOf(item.person)} for an hour`}
            icon={BellOff}
            onClick={() => mute(item.person.id)}
          />
        </li>
      ))}
    </ul>
  )
}

function Decide({ item }: { item: WaitingItem }) {
  if (item.kind === 'proposal')
    return <ButtonLink label="Review" size="small" href={`/waiting/${item.proposal.id}`} />
  return (
    // The approval page is another document.
    <a href={`/approve/${item.request_id}`} className={buttonClasses({ size: 'small' })}>
      Review
    </a>
  )
}

function textOf(item: WaitingItem) {
  const who = nameOf(item.person)
  const place = (
    <bdi className="font-mono">{item.kind === 'proposal' ? item.proposal.bundle.name : item.bundle.name}</bdi>
  )
  if (item.kind === 'proposal') {
    const { entries, detach } = item.proposal
    return (
      <>
        {who} proposes {counted(entries.length + detach.length, 'variable')} for {place}
      </>
    )
  }
  const keys = counted(item.key_count, 'key')
  return item.kind === 'second_approval' ? (
    <>
      {who} approved {keys} of {place}; a second person must approve
    </>
  ) : (
    <>
      {who} asks you to approve {keys} of {place}
    </>
  )
}

function factsOf(item: WaitingItem): string {
  const end = item.kind === 'proposal' ? item.proposal.expires_at : item.expires_at
  const from = item.kind === 'proposal' ? `${senderText(item.proposal)} · ` : ''
  return `${from}${ago(item.at)} · ends ${ahead(end)}`
}

function Muted({ items }: { items: readonly WaitingItem[] }) {
  const people = new Map(items.map(({ person }) => [person.id, nameOf(person)]))
  if (people.size === 0) return null
  return (
    <ul className="mt-3 space-y-1 text-sm text-ink-soft">
      {[...people].map(([id, name]) => (
        <li key={id}>
          {name} is muted for an hour.{' '}
          <button type="button" className="link" onClick={() => mute(id, false)}>
            Show
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Asks the browser to notify while a page of the app is open. */
function NotifyButton() {
  const isKnown = 'Notification' in window
  const [permission, setPermission] = useState(isKnown ? Notification.permission : 'denied')
  if (permission !== 'default') return null
  return (
    <Button
      label="Notify me"
      icon={Bell}
      onClick={() => void Notification.requestPermission().then(setPermission)}
    />
  )
}
