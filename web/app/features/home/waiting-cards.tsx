import { useState } from 'react'
import type { WaitingItem } from '../../lib/calls/answers.ts'
import { mute, useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { counted } from '../../lib/words/counted.ts'
import { nameOf, senderText } from '../../lib/words/proposal-words.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Button, ButtonLink, buttonClasses, IconButton } from '../../ui/button.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Face } from '../../ui/face.tsx'
import { Bell, BellOff } from '../../ui/icons.ts'

const SHOWN = 6

/** What other people ask this person to decide. A request that ends keeps its row. */
export function WaitingCards({ drawn }: { drawn: readonly WaitingItem[] }) {
  const { items: open = [], muted } = useWaiting()
  const hidden = muted.map(waitingId)
  const items = drawn.filter((item) => !hidden.includes(waitingId(item)))
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? items : items.slice(0, SHOWN)
  return (
    <section aria-label="Waiting for you" className="mb-4 space-y-2">
      {shown.map((item) => (
        <WaitingCard
          key={waitingId(item)}
          item={item}
          isOver={!open.some((other) => waitingId(other) === waitingId(item))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        {items.length > shown.length && (
          <Button
            label={`Show ${items.length - SHOWN} more`}
            size="small"
            look="quiet"
            onClick={() => setShowsAll(true)}
          />
        )}
        <Muted items={muted} />
        <NotifyButton />
      </div>
    </section>
  )
}

function WaitingCard({ item, isOver }: { item: WaitingItem; isOver: boolean }) {
  return (
    <div className="flex items-center gap-3 rounded-lg bg-surface p-3 pl-4 shadow-hairline max-sm:flex-wrap sm:pl-6">
      <Face id={item.person.id} name={nameOf(item.person)} />
      <div className="min-w-0 flex-1 max-sm:basis-56">
        <p className="break-words">
          <WaitingSentence item={item} />
        </p>
        <p className="text-xs text-ink-faint">{isOver ? 'No longer waits' : waitingFacts(item)}</p>
      </div>
      <IconButton
        label={`Mute ${nameOf(item.person)} for an hour`}
        icon={BellOff}
        className="ml-auto"
        onClick={() => mute(item.person.id)}
      />
      <span className={isOver ? 'invisible' : ''}>
        <ReviewLink item={item} />
      </span>
    </div>
  )
}

/** What a person asks for, in one sentence. */
function WaitingSentence({ item }: { item: WaitingItem }) {
  const who = <b className="font-semibold">{nameOf(item.person)}</b>
  const { bundle } = item.kind === 'proposal' ? item.proposal : item
  const place = <EnvChip name={bundle.name} isMention />
  if (item.kind === 'proposal') {
    const { entries, detach } = item.proposal
    return (
      <>
        {who} proposes {counted(entries.length + detach.length, 'variable')} for {place}
      </>
    )
  }
  const variables = counted(item.key_count, 'variable')
  return item.kind === 'second_approval' ? (
    <>
      {who} approved {variables} of {place}; a second person must approve
    </>
  ) : (
    <>
      {who} asks you to approve {variables} of {place}
    </>
  )
}

/** From where, since when, and until when. */
function waitingFacts(item: WaitingItem): string {
  const end = item.kind === 'proposal' ? item.proposal.expires_at : item.expires_at
  const from = item.kind === 'proposal' ? `${senderText(item.proposal)} · ` : ''
  return `${from}${ago(item.at)} · ends ${ahead(end)}`
}

/** Leads to where the person decides. */
function ReviewLink({ item }: { item: WaitingItem }) {
  if (item.kind === 'proposal') return <ButtonLink label="Review" href={`/waiting/${item.proposal.id}`} />
  return (
    // The approval page is another document.
    <a href={`/approve/${item.request_id}`} className={buttonClasses({})}>
      Review
    </a>
  )
}

function Muted({ items }: { items: readonly WaitingItem[] }) {
  const people = new Map(items.map(({ person }) => [person.id, nameOf(person)]))
  return [...people].map(([id, name]) => (
    <p key={id}>
      {name} is muted for an hour.{' '}
      <button type="button" className="link" onClick={() => mute(id, false)}>
        Show
      </button>
    </p>
  ))
}

/** Asks the browser to notify while a page of the app is visible. */
function NotifyButton() {
  const isKnown = 'Notification' in window
  const [permission, setPermission] = useState(isKnown ? Notification.permission : 'denied')
  if (permission !== 'default') return null
  return (
    <Button
      label="Notify me"
      size="small"
      look="quiet"
      icon={Bell}
      onClick={() => void Notification.requestPermission().then(setPermission)}
    />
  )
}
