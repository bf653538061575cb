import type { ComparedCell } from '../../../lib/calls/answers.ts'
import { dueText } from '../../../lib/words/due.ts'
import { ago, isWithinDays, shortAge, shortUntil } from '../../../lib/words/time.ts'

type MarkedFacts = NonNullable<ComparedCell['facts']>

/** A word at the right edge of a cell; `title` says it in a sentence. */
export type CellMark = {
  kind: 'lacks' | 'older' | 'due' | 'age'
  tone: 'caution' | 'danger' | 'plain'
  text: string
  title: string
}

const RECENT_DAYS = 30

/** What somebody should look at; of a usual value only a recent age. */
export function marksOf(facts: MarkedFacts, nowMs?: number): CellMark[] {
  const marks = [...lacksMark(facts), ...olderMark(facts), ...dueMark(facts, nowMs)]
  if (marks.length > 0 || !isWithinDays(facts.set_at, RECENT_DAYS, nowMs)) return marks
  return [
    {
      kind: 'age',
      tone: 'plain',
      text: shortAge(facts.set_at, nowMs),
      title: `set ${ago(facts.set_at, nowMs)}`,
    },
  ]
}

/** What a composed value cannot be built from here. */
export function lacksMark({ missing_parts: parts }: Pick<MarkedFacts, 'missing_parts'>): CellMark[] {
  const [first] = parts
  if (first === undefined) return []
  const text = parts.length === 1 ? `lacks ${first}` : `lacks ${parts.length} parts`
  return [{ kind: 'lacks', tone: 'danger', text, title: `lacks ${parts.join(', ')}` }]
}

function olderMark({ older_holders: count }: MarkedFacts): CellMark[] {
  if (count === 0) return []
  const title = count === 1 ? '1 holder has an older value' : `${count} holders have an older value`
  return [{ kind: 'older', tone: 'caution', text: `${count} older`, title }]
}

function dueMark(facts: MarkedFacts, nowMs?: number): CellMark[] {
  const { due, expires_at, set_at } = facts
  if (due === null) return []
  if (due === 'rotate')
    return [{ kind: 'due', tone: 'caution', text: 'rotate', title: `set ${ago(set_at, nowMs)}, replace it` }]
  const title = expiryText(facts, nowMs)
  if (due === 'expired') return [{ kind: 'due', tone: 'danger', text: 'expired', title }]
  return [{ kind: 'due', tone: 'caution', text: shortUntil(expires_at ?? set_at, nowMs), title }]
}

/** `expires in 9 days`, `expired 2 days ago`; empty for a value that does not expire soon. */
export function expiryText({ due, expires_at, set_at }: MarkedFacts, nowMs?: number): string {
  const none = { rotate_after_days: null, value_changed_elsewhere_at: null }
  return due === 'rotate' ? '' : (dueText({ due, expires_at, value_set_at: set_at, ...none }, nowMs) ?? '')
}
