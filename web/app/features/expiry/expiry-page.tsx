import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Use } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { type DatedKey, daysUntil, dueKind, dueWhen, useDatedKeys } from '../../lib/data/expiry.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { counted } from '../../lib/words/counted.ts'
import { ago } from '../../lib/words/time.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DUE_TEXT, DueDot } from '../../ui/due-dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EntryLink } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { Lanes } from './lanes.tsx'

const SOON_DAYS = 14

/** When values expire or should be replaced, in a picture and in words. */
export function ExpiryPage() {
  const keys = useDatedKeys()
  return (
    <>
      <PageHeading
        title="What expires"
        shown={
          <>
            <Link href="/" className="font-normal text-ink-faint hover:underline max-sm:hidden">
              Applications
            </Link>
            <span className="font-normal text-ink-faint max-sm:hidden"> / </span>What expires
          </>
        }
      />
      <Loaded query={keys} what="the dates">
        {(data) => (data.length === 0 ? <Nothing /> : <Dates keys={data} />)}
      </Loaded>
      <StillHeld />
    </>
  )
}

function Nothing() {
  return (
    <EmptyState title="No value expires within a year">
      <p>Give a value a date or a number of days on the page of its variable.</p>
    </EmptyState>
  )
}

function Dates({ keys }: { keys: readonly DatedKey[] }) {
  const { data } = useAnswer('listUse', {})
  const uses = useMemo(() => new Map((data ?? []).map((use) => [use.id, use])), [data])
  const stale = useAnswer('listStaleKeys', { limit: 1_000 }).data
  const older = useMemo(() => new Map((stale ?? []).map(({ id, holders }) => [id, holders])), [stale])
  const groups: [string, readonly DatedKey[]][] = [
    ['Now', keys.filter((key) => daysUntil(key) <= 0)],
    [`In ${SOON_DAYS} days`, keys.filter((key) => daysUntil(key) > 0 && daysUntil(key) <= SOON_DAYS)],
    ['Later', keys.filter((key) => daysUntil(key) > SOON_DAYS)],
  ]
  return (
    <>
      <Lanes keys={keys} />
      {groups
        .filter(([, some]) => some.length > 0)
        .map(([title, some]) => (
          <Section key={title} title={title} className="mb-6">
            <Rows label={title} className="mt-2">
              {some.map((key) => (
                <DateRow
                  key={key.id}
                  item={key}
                  note={noteOf(key, { uses, older: older.get(key.id) ?? 0 })}
                />
              ))}
            </Rows>
          </Section>
        ))}
    </>
  )
}

const HELD_DAYS = 7
const DAY_MS = 86_400_000

/** Values that changed long ago, and whose older versions are still held. */
function StillHeld() {
  const [before] = useState(() => new Date(serverNowMs() - HELD_DAYS * DAY_MS).toISOString())
  const keys = useAnswer('listStaleKeys', { before, limit: 1_000 }).data ?? []
  if (keys.length === 0) return null
  return (
    <Section title="Older values still held">
      <Rows label="Older values still held" className="mt-2">
        {keys.map(({ id, name, holders, value_set_at }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2.5 sm:px-6">
            <EntryLink href={`/keys/${id}`} name={name} className="font-mono hover:underline" />
            <span className="text-xs text-ink-soft">
              changed {ago(value_set_at)}, {holders}{' '}
              {holders === 1 ? 'holder still has' : 'holders still have'} an older value
            </span>
          </li>
        ))}
      </Rows>
    </Section>
  )
}

const SHOWN_PLACES = 3

function DateRow({ item, note }: { item: DatedKey; note: string }) {
  const kind = dueKind(item)
  const { id, due_at, bundles = [], may_change } = item
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 max-sm:flex-wrap sm:px-6">
      <DueDot kind={kind} />
      <div className="min-w-0 flex-1 max-sm:basis-4/5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <EntryLink href={`/keys/${id}`} name={variableOf(item)} className="font-mono hover:underline" />
          {bundles.slice(0, SHOWN_PLACES).map((bundle) => (
            <EnvChip key={bundle.id} name={bundle.name} isMention />
          ))}
          {bundles.length > SHOWN_PLACES && (
            <span className="text-xs text-ink-faint">and {bundles.length - SHOWN_PLACES} more</span>
          )}
        </p>
        <p className="text-xs text-ink-faint">{note}</p>
      </div>
      <span className={classNames('text-xs', DUE_TEXT[kind])}>
        {dateText(due_at)}, {dueWhen(item)}
      </span>
      {may_change && (
        <ButtonLink
          size="small"
          {...(kind === 'later'
            ? { label: 'Change date', href: `/keys/${id}/details` }
            : { label: 'Rotate', href: `/keys/${id}/change` })}
        />
      )}
    </li>
  )
}

const dateText = (at: string) => new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'long' })

type NoteFacts = { uses: ReadonlyMap<string, Use>; older: number }

/** What makes it urgent, or where the date comes from. */
function noteOf(key: DatedKey, { uses, older }: NoteFacts): string {
  const { due, due_at, rotate_after_days: after, value_set_at, bundles = [], value_set_by } = key
  if (older > 0) return `${counted(older, 'holder')} of an older value`
  if (due === 'expired') {
    const days = Math.floor(-daysUntil(key))
    const fetches = bundles.reduce((sum, { id }) => sum + fetchesIn(uses.get(id), days), 0)
    if (fetches > 0)
      return `${bundles.length === 1 ? 'Its bundle was' : 'Its bundles were'} fetched ${counted(fetches, 'time')} since then`
  }
  if (after !== null && key.expires_at !== due_at) return `replace every ${counted(after, 'day')}`
  return `set by ${value_set_by.name ?? 'a former user'} ${ago(value_set_at)}`
}

/** The fetches of the last whole days; the day on which it expired is left out. */
const fetchesIn = (use: Use | undefined, days: number): number =>
  days === 0 ? 0 : (use?.days.slice(-days).reduce((sum, count) => sum + count, 0) ?? 0)
