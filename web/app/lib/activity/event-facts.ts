import type { AuditEntry } from '../calls/answers.ts'
import { counted, listed } from '../words/counted.ts'
import { placeOf } from '../words/holder-text.ts'
import { visibleText } from '../words/visible-text.ts'

/** A piece of a sentence: plain text, or something that has a name and perhaps a page. */
export type Part =
  | string
  | {
      kind: 'key' | 'bundle' | 'program' | 'person' | 'name'
      id: string
      name: string
      /** Where a key is now. */
      bundles?: AuditEntry['target']['bundles']
    }

const NAMES_SHOWN = 4

/** What an event tells, read from data whose shape no type promises. */
export function eventFacts({ actor, target, data, origin }: AuditEntry) {
  const number = (field: string) => (typeof data[field] === 'number' ? data[field] : null)
  const text = (field: string) => (typeof data[field] === 'string' ? visibleText(data[field]) : null)
  const names = (field: string) => texts(data[field])
  const count = (field: string) => number(`${field}_count`) ?? names(field).length
  const from = (field: string) => {
    const known = origin?.[field]
    return known === undefined ? null : visibleText(known)
  }
  /** The terminal as it called itself. */
  const place = placeOf({ hostname: origin?.['hostname'] ?? '', user: origin?.['user'] ?? '', program: '' })
  return {
    number,
    text,
    is: (field: string) => data[field] === true,
    has: (field: string) => data[field] !== undefined,
    names,
    count,
    /** Names, cut after a few; with how many there were. */
    listed: (field: string) => listed(names(field), NAMES_SHOWN, count(field)),
    /** The person did it to their own account. */
    isOwn: actor.kind === 'user' && target.kind === 'user' && actor.id === target.id,
    isRequest: target.kind === 'request',
    isTenant: target.kind === 'tenant',
    /** The target, with a link to its page. */
    key: { ...target, kind: 'key', name: target.name ?? 'a variable' } as const,
    bundle: { kind: 'bundle', id: target.id, name: target.name ?? 'a bundle' } as const,
    program: { kind: 'program', id: target.id, name: target.name ?? 'a machine' } as const,
    person: { kind: 'person', id: target.id, name: target.name ?? 'a former user' } as const,
    /** The target without a link: it is gone. */
    gone: { kind: 'name', id: target.id, name: target.name ?? 'something without a name' } as const,
    /** A key or bundle that the event mentions beside its target. */
    other: (field: string, kind: 'key' | 'bundle'): Part => mentioned(data[field], kind),
    /** Values in a delivery: the name and version of each, and how many there were. */
    versions: versionsIn(data['versions']),
    values:
      (number('versions_count') ?? versionsIn(data['versions']).length) + count('names') + count('typed'),
    /** How many variables it names: `3 variables`. */
    variables: counted(count('names'), 'variable'),
    place,
    /** The terminal that asked, as well as it is known. */
    sender: place ?? from('requester_ip') ?? 'a terminal',
    origin: from,
  }
}

export type EventFacts = ReturnType<typeof eventFacts>

/** What follows the actor's name in the sentence of an action. */
export type ActionWords = (facts: EventFacts) => readonly Part[]

function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each: unknown) => (typeof each === 'string' ? [visibleText(each)] : []))
}

function versionsIn(value: unknown): { name: string; version: number }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((pair: unknown) => {
    if (!Array.isArray(pair)) return []
    const [name, version]: unknown[] = pair
    return typeof name === 'string' && typeof version === 'number' ? [{ name, version }] : []
  })
}

function mentioned(value: unknown, kind: 'key' | 'bundle'): Part {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('name' in value))
    return `a ${kind}`
  return { kind, id: String(value.id), name: String(value.name) }
}
