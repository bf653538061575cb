import { Link } from 'wouter'
import type { Part } from '../../lib/activity/told.ts'
import { EntryName } from '../entry-name.tsx'

const PLACES = { key: 'keys', bundle: 'bundles', machine: 'machines' } as const

/** An event in words; what has a page is a link to it. */
export function Sentence({ parts }: { parts: readonly Part[] }) {
  return parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence neither move nor change
    return <SentencePart key={index} part={part} />
  })
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return part
  const { kind, id, name } = part
  if (kind === 'person') return <bdi className="font-medium">{name}</bdi>
  if (kind === 'name') return <bdi className="font-mono">{name}</bdi>
  return (
    <Link href={`/${PLACES[kind]}/${id}`} className="font-mono hover:underline">
      <EntryName name={name} />
    </Link>
  )
}
