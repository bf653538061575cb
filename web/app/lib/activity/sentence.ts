import type { AuditEntry } from '../calls/answers.ts'
import { eventFacts, type Part } from './event-facts.ts'
import { WORDS } from './words.ts'

/** An event in words: who did what. */
export function sentenceOf(entry: AuditEntry): Part[] {
  const known = eventFacts(entry)
  if (known.isOwn && entry.action === 'member.removed') return [actorOf(entry), ' left the workspace']
  return [actorOf(entry), ' ', ...WORDS[entry.action](known)]
}

/** The same as plain text. */
export function sentenceText(entry: AuditEntry): string {
  return sentenceOf(entry)
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('')
}

const ACTORS: Readonly<Record<string, string>> = { operator: 'The operator', server: 'The server' }

function actorOf(entry: AuditEntry): Part {
  const { kind, id, name } = entry.actor
  if (kind === 'user') return { kind: 'person', id: id ?? '', name: name ?? 'A former user' }
  if (kind === 'client') return eventFacts(entry).place ?? 'A terminal'
  if (kind === 'machine')
    return id === null || name === null ? 'A former machine' : { kind: 'program', id, name }
  return ACTORS[kind] ?? kind
}
