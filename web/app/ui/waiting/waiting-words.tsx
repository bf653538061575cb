import type { WaitingItem } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'
import { nameOf, senderText } from '../../lib/words/proposal-words.ts'
import { ago, ahead } from '../../lib/words/time.ts'
import { ButtonLink, buttonClasses } from '../button.tsx'
import { EnvChip } from '../env-chip.tsx'

/** What a person asks for, in one sentence. */
export function WaitingSentence({ item }: { item: WaitingItem }) {
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

/** From where, since when, and until when. */
export function waitingFacts(item: WaitingItem): string {
  const end = item.kind === 'proposal' ? item.proposal.expires_at : item.expires_at
  const from = item.kind === 'proposal' ? `${senderText(item.proposal)} · ` : ''
  return `${from}${ago(item.at)} · ends ${ahead(end)}`
}

/** Leads to where the person decides. */
export function ReviewLink({ item, size }: { item: WaitingItem; size?: 'small' }) {
  if (item.kind === 'proposal')
    return <ButtonLink label="Review" {...(size && { size })} href={`/waiting/${item.proposal.id}`} />
  return (
    // The approval page is another document.
    <a href={`/approve/${item.request_id}`} className={buttonClasses({ ...(size && { size }) })}>
      Review
    </a>
  )
}
