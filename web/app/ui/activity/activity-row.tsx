import { type MouseEvent, useId, useState } from 'react'
import { eventFacts, type Part } from '../../lib/activity/event-facts.ts'
import { sentenceOf, sentenceText } from '../../lib/activity/sentence.ts'
import type { AuditEntry } from '../../lib/calls/answers.ts'
import { useKnownValues } from '../../lib/data/lists.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { dateTime, timeOfDay } from '../../lib/words/time.ts'
import { classNames } from '../class-names.ts'
import { EmailText } from '../email-text.tsx'
import { EntryLink } from '../entry-name.tsx'
import { Facts } from '../facts.tsx'
import { GivenList } from '../given-values.tsx'
import { ChevronRight, TriangleAlert } from '../icons.ts'
import { DeliveryDetails } from './delivery-details.tsx'

/** One event in one line; a press on the line opens what else is known of it. */
export function ActivityRow({ entry }: { entry: AuditEntry }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const toggle = (event: MouseEvent) => {
    const isLink = event.target instanceof Element && event.target.closest('a') !== null
    if (!isLink && String(getSelection()) === '') setOpen(!open)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button in the line does the same by the keyboard */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        onClick={toggle}
        className="flex min-h-8 cursor-pointer items-start gap-2 py-1.5 pr-3 pl-1.5 text-sm hover:bg-sunken/60"
      >
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={`Details: ${sentenceText(entry)}`}
          className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-faint"
        >
          <ChevronRight
            aria-hidden
            size={15}
            className={classNames('transition-transform', open && 'rotate-90')}
          />
        </button>
        <time
          dateTime={entry.at}
          title={dateTime(entry.at)}
          className="w-11 shrink-0 pt-0.5 text-xs leading-5 text-ink-faint"
        >
          {timeOfDay(entry.at)}
        </time>
        <span className="min-w-0 flex-1 leading-6">
          {ALARMS.has(entry.action) && <Alarm />}
          <Sentence parts={sentenceOf(entry)} />
        </span>
        <Seal seq={entry.seq} />
      </div>
      <div id={id} hidden={!open}>
        {open && <EventDetails entry={entry} />}
      </div>
    </>
  )
}

/** Another person may have requested an approval that never returned to a terminal. */
const ALARMS: ReadonlySet<AuditEntry['action']> = new Set([
  'delivery.not_released',
  'deposit.not_released',
  'names.not_released',
])

function Alarm() {
  return (
    <span
      title="Another person may have requested this approval"
      className="mr-1.5 inline-block text-caution"
    >
      <TriangleAlert aria-hidden size={15} className="inline align-[-2px]" />
      <span className="sr-only">Warning: another person may have requested this approval. </span>
    </span>
  )
}

function Seal({ seq }: { seq: number | null }) {
  if (seq !== null) {
    return (
      <span className="hidden shrink-0 pt-0.5 text-xs leading-5 text-ink-faint sm:inline">
        {seq.toLocaleString()}
      </span>
    )
  }
  return (
    <span title="Not sealed yet" className="mt-2 size-2 shrink-0 rounded-lg bg-edge">
      <span className="sr-only">Not sealed yet</span>
    </span>
  )
}

const PLACES = { key: 'keys', bundle: 'bundles', machine: 'machines' } as const

/** An event in words; what has a page is a link to it. */
function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence neither move nor change
    return <SentencePart key={index} part={part} />
  })
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return <EmailText text={part} />
  const { kind, id, name } = part
  if (kind === 'person') return <bdi className="font-medium">{name}</bdi>
  if (kind === 'name') return <bdi className="font-mono">{name}</bdi>
  return <EntryLink href={`/${PLACES[kind]}/${id}`} name={name} className="font-mono hover:underline" />
}

/** What is known of an event beyond its line. Of a delivery: every value that it gave away. */
function EventDetails({ entry }: { entry: AuditEntry }) {
  const delivery = entry.data['delivery']
  return (
    <div className="border-t border-line bg-sunken/40 px-4 py-3 sm:pl-10">
      {typeof delivery === 'string' && (
        <DeliveryDetails id={delivery} legacy={eventFacts(entry).names('names')} />
      )}
      {entry.action === 'member.removed' && <HeldValues userId={entry.target.id} />}
      <Facts facts={factsOf(entry)} />
    </div>
  )
}

function factsOf(entry: AuditEntry) {
  const { seq, id, at, origin, action } = entry
  const { names, text, origin: from } = eventFacts(entry)
  const elsewhere = text('changed_elsewhere_at')
  const browser = origin?.['user_agent'] === undefined ? null : browserName(origin['user_agent'])
  return {
    'Last change':
      elsewhere === null ? '' : `${dateTime(elsewhere)} on the other server, according to the moved file`,
    Names: action.startsWith('delivery.') ? '' : names('names').join(', '),
    From: [from('ip'), browser].filter((part) => part !== null).join(', '),
    Terminal: [from('requester_ip'), from('os')].filter((part) => part !== null).join(', '),
    When: dateTime(at),
    Entry: `${seq === null ? 'not sealed yet' : seq.toLocaleString()} · ${action} · ${id}`,
  }
}

/** Which values a person was given. */
function HeldValues({ userId }: { userId: string }) {
  const known = useKnownValues(userId)
  if (known === undefined) return null
  if (known.length === 0) return <p className="mb-2 text-sm">They hold no value.</p>
  return <GivenList who="They were" id={userId} known={known} />
}
