import { Link } from 'wouter'
import type { Part } from '../../lib/activity/event-facts.ts'
import { EmailText } from '../email-text.tsx'
import { EntryLink } from '../entry-name.tsx'
import { EnvChip } from '../env-chip.tsx'

/** An event in words; what has a page is a link to it. */
export function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence neither move nor change
    return <SentencePart key={index} part={part} />
  })
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return <EmailText text={part} />
  const { kind, id, name } = part
  if (kind === 'person') return <bdi className="font-semibold">{name}</bdi>
  if (kind === 'name') return <bdi className="font-mono">{name}</bdi>
  if (kind === 'bundle') {
    return (
      <Link href={`/bundles/${id}`} className="hover:underline">
        <EnvChip name={name} isMention />
      </Link>
    )
  }
  if (kind === 'machine') {
    return <EntryLink href={`/machines/${id}`} name={name} className="font-semibold hover:underline" />
  }
  return <EntryLink href={`/keys/${id}`} name={name} className="font-mono hover:underline" />
}
