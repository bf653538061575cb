import { type MouseEvent, useId, useState } from 'react'
import { Link } from 'wouter'
import type { Part } from '../../lib/activity/event-facts.ts'
import { eventFacts } from '../../lib/activity/event-facts.ts'
import { sentenceOf, sentenceText } from '../../lib/activity/sentence.ts'
import { type ActivityStory, markOf, type StoryMark, timesText } from '../../lib/activity/stories.ts'
import type { AuditEntry } from '../../lib/calls/answers.ts'
import { useKnownValues } from '../../lib/data/lists.ts'
import { useMay } from '../../lib/data/me.ts'
import { browserName } from '../../lib/words/browser-name.ts'
import { counted } from '../../lib/words/counted.ts'
import { dateTime, timeOfDay } from '../../lib/words/time.ts'
import { classNames } from '../class-names.ts'
import { EmailText } from '../email-text.tsx'
import { EntryLink } from '../entry-name.tsx'
import { EnvChip } from '../env-chip.tsx'
import { GivenList } from '../given-values.tsx'
import { Ban, Check, Hourglass, Pencil, Plus, Scale, Server, TriangleAlert } from '../icons.ts'

const MARKS = {
  approved: { Icon: Check, look: 'bg-good-soft text-good', word: '' },
  waits: { Icon: Hourglass, look: 'bg-sunken text-ink-soft', word: '' },
  alarm: {
    Icon: TriangleAlert,
    look: 'bg-danger-soft text-danger',
    word: 'Warning: another person may have requested this approval',
  },
  refused: { Icon: Ban, look: 'bg-sunken text-ink-soft', word: '' },
  added: { Icon: Plus, look: 'bg-accent-soft text-accent', word: '' },
  changed: { Icon: Pencil, look: 'bg-accent-soft text-accent', word: '' },
  program: { Icon: Server, look: 'bg-sunken text-ink-soft', word: '' },
  rules: { Icon: Scale, look: 'bg-sunken text-ink-soft', word: '' },
} as const satisfies Record<StoryMark, object>

/** One story in one line; a press on the line, or Enter on its mark, opens its steps. */
export function StoryRow({ story, apart }: { story: ActivityStory; apart: boolean }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const { head } = story
  const toggle = (event: MouseEvent) => {
    const isLink = event.target instanceof Element && event.target.closest('a') !== null
    if (!isLink && String(getSelection()) === '') setOpen(!open)
  }
  const { Icon, look, word } = MARKS[markOf(story)]
  const times = timesText(story)
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button in the line does the same by the keyboard */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div
        onClick={toggle}
        className="flex min-h-12 cursor-pointer items-center gap-3 px-4 py-2.5 hover:bg-sunken/60 sm:px-6"
      >
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={`Steps: ${sentenceText(head)}`}
          title={word === '' ? undefined : word}
          className={classNames('inline-grid size-7 shrink-0 place-items-center rounded-full', look)}
        >
          <Icon aria-hidden size={15} />
        </button>
        <span className="min-w-0 flex-1 leading-6">
          {word !== '' && <span className="sr-only">{word}. </span>}
          <Sentence parts={sentenceOf(head)} />
          {times !== '' && <span className="text-ink-soft"> · {times}</span>}
        </span>
        {apart && <EntryNumber entry={head} />}
        <time dateTime={head.at} title={dateTime(head.at)} className="shrink-0 text-xs text-ink-soft">
          {timeOfDay(story.entries[0]?.at ?? head.at)}
        </time>
      </div>
      <div id={id} hidden={!open}>
        {open && <Steps story={story} />}
      </div>
    </>
  )
}

/** The number of an entry in the audit log. */
function EntryNumber({ entry: { seq, action, id } }: { entry: AuditEntry }) {
  if (seq !== null) {
    return (
      <span title={`${action} · ${id}`} className="shrink-0 text-xs text-ink-soft">
        {seq.toLocaleString()}
      </span>
    )
  }
  return (
    <span title="Not sealed yet" className="size-2 shrink-0 rounded-full bg-edge">
      <span className="sr-only">Not sealed yet</span>
    </span>
  )
}

const GIVEN: readonly string[] = ['delivery.collected', 'delivery.machine', 'delivery.remembered']

/** What happened in a story, in order, each step with its number in the log. */
function Steps({ story: { entries, head } }: { story: ActivityStory }) {
  const may = useMay()
  const delivery = entries.map(({ data }) => data['delivery']).find((id) => typeof id === 'string')
  const wasGiven = entries.some(({ action }) => GIVEN.includes(action))
  return (
    <div className="mr-4 mb-4 ml-[1.875rem] border-l-2 border-line pl-4 text-xs sm:mr-6 sm:ml-[2.375rem]">
      <ol aria-label="Steps">
        {entries.toReversed().map((entry) => (
          <li key={entry.id} className="grid grid-cols-[4rem_1fr_auto] gap-x-3 py-1">
            <time dateTime={entry.at} title={dateTime(entry.at)} className="text-ink-soft">
              {timeOfDay(entry.at, { seconds: true })}
            </time>
            <span className="min-w-0">
              <Sentence parts={sentenceOf(entry)} />
              <span className="block text-ink-soft">{factsText(entry)}</span>
            </span>
            <EntryNumber entry={entry} />
          </li>
        ))}
      </ol>
      {delivery !== undefined && may('getDelivery') && (
        <Link href={`/activity/deliveries/${delivery}`} className="link">
          {wasGiven ? 'What was delivered' : 'What was asked for'}
        </Link>
      )}
      {head.action === 'member.removed' && may('listHoldings') && <HeldValues userId={head.target.id} />}
    </div>
  )
}

/** What is known of an event beyond its sentence: from where, which names, and what it is called in the log. */
function factsText(entry: AuditEntry): string {
  const { origin, action } = entry
  const { listed, text, origin: from } = eventFacts(entry)
  const elsewhere = text('changed_elsewhere_at')
  const agent = origin?.['user_agent']
  const facts = [
    [from('ip'), agent === undefined ? null : browserName(agent)],
    [from('requester_ip'), from('os')],
  ].map((some) => some.filter((part) => part !== null).join(', '))
  return [
    facts[0] === '' ? '' : `from ${facts[0]}`,
    facts[1] === '' ? '' : `terminal ${facts[1]}`,
    action.startsWith('delivery.') ? '' : listed('names'),
    elsewhere === null
      ? ''
      : `last changed ${dateTime(elsewhere)} on the other server, as the moved file says`,
    action,
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** Which values a person was given. */
function HeldValues({ userId }: { userId: string }) {
  const known = useKnownValues(userId)
  if (known === undefined) return null
  if (known.length === 0) return <p className="mb-2 text-sm">They hold no value.</p>
  return <GivenList who="They were" id={userId} known={known} />
}

/** An event in words, with links to pages. */
function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence neither move nor change
    return <SentencePart key={index} part={part} />
  })
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return <EmailText text={part} />
  const { kind, id, name } = part
  if (kind === 'person') return <bdi className="font-semibold">{name}</bdi>
  if (kind === 'name')
    return (
      <bdi translate="no" className="font-mono">
        {name}
      </bdi>
    )
  if (kind === 'bundle') {
    return (
      <Link href={`/bundles/${id}`} className="hover:underline">
        <EnvChip name={name} isMention />
      </Link>
    )
  }
  if (kind === 'program') {
    return <EntryLink href={`/machines/${id}`} name={name} className="font-semibold hover:underline" />
  }
  // A name alone does not say where a variable is.
  const [first, ...others] = part.bundles ?? []
  return (
    <>
      <EntryLink href={`/keys/${id}`} name={name} className="font-mono hover:underline" />
      {first && ' in '}
      {first && <EnvChip name={first.name} isProduction={first.is_production} isMention />}
      {others.length > 0 && ` and ${counted(others.length, 'other')}`}
    </>
  )
}
