import { useState } from 'react'
import type { Proposal, WaitingItem } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useMe } from '../../lib/data/me.ts'
import { mute, useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { nameOf, STATES } from '../../lib/words/proposal-words.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Bell, BellOff, X } from '../../ui/icons.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { ReviewLink, WaitingSentence, waitingFacts } from '../../ui/waiting/waiting-words.tsx'

/** What other people of the workspace ask this person to decide, and what became of the person's own proposals. */
export function WaitingPage() {
  const { query, items, isShared, muted } = useWaiting()
  return (
    <div className="max-w-read">
      <PageHeading
        title="Waiting for you"
        intro="Requests and proposals of other people in this workspace that need your decision."
        actions={<NotifyButton />}
      />
      {query.data !== undefined && <OutdatedNotice query={query} />}
      <Loaded query={{ ...query, data: isShared ? items : [] }} what="what waits">
        {(all) => (all.length === 0 ? <Nothing /> : <Items items={all} />)}
      </Loaded>
      <Muted items={muted} />
      {isShared && <OwnProposals />}
    </div>
  )
}

function Nothing() {
  return (
    <EmptyState title="Nothing waits for you">
      <p>
        Requests that the sender may not approve, approvals that need a second person, and changes that
        members propose appear here.
      </p>
    </EmptyState>
  )
}

function Items({ items }: { items: readonly WaitingItem[] }) {
  return (
    <Rows label="Waiting for you">
      {items.map((item) => (
        <li key={waitingId(item)} className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 pr-2 pl-4">
          <div className="min-w-0 flex-1 basis-64">
            <p className="break-words">
              <WaitingSentence item={item} />
            </p>
            <p className="text-xs text-ink-soft">{waitingFacts(item)}</p>
          </div>
          <ReviewLink item={item} size="small" />
          <IconButton
            label={`Mute ${nameOf(item.person)} for an hour`}
            icon={BellOff}
            onClick={() => mute(item.person.id)}
          />
        </li>
      ))}
    </Rows>
  )
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

/** Asks the browser to notify while a page of the app is visible. */
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

const REFETCH_MS = 15_000

/** The person's own proposals of the last days, and what became of them. */
function OwnProposals() {
  const me = useMe().data?.user_id
  const all = useAnswer('listProposals', {}, { refetchInterval: REFETCH_MS }).data ?? []
  const own = all.filter(({ proposer }) => proposer.id === me)
  if (own.length === 0) return null
  return (
    <Section title="Your proposals" size="large" className="mt-8">
      <Rows label="Your proposals" className="mt-3">
        {own.map((proposal) => (
          <Own key={proposal.id} proposal={proposal} />
        ))}
      </Rows>
    </Section>
  )
}

function Own({ proposal }: { proposal: Proposal }) {
  const { id, bundle, entries, detach, state, ended_at, created_at, expires_at } = proposal
  const withdraw = useChange('endProposal', { proposal_id: id })
  const names = [...entries.map(({ name }) => name), ...detach].join(', ')
  const { name, tone } = STATES[state]
  return (
    <li className="flex min-h-13 items-center gap-3 py-2.5 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="font-mono text-sm break-all">
          {bundle.name}: {names}
        </p>
        <p className="text-xs text-ink-soft">
          {ended_at === null ? `${ago(created_at)} · ends ${ahead(expires_at)}` : ago(ended_at)}
        </p>
      </div>
      <Badge tone={tone}>{name}</Badge>
      {state === 'open' && (
        <IconButton
          label={`Withdraw the proposal for ${bundle.name}`}
          icon={X}
          onClick={() => withdraw.mutate(undefined, withToast('Withdrew the proposal.'))}
        />
      )}
    </li>
  )
}
