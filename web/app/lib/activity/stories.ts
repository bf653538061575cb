import type { AuditAction } from '@keyferry/contract'
import { auditGroupOf, isRepeated, isStep } from '@keyferry/contract/audit-groups'
import type { AuditEntry } from '../calls/answers.ts'
import { timeOfDay } from '../words/time.ts'

/** What a person tells as one thing. `entries`: the newest first. `head`: the one whose sentence tells it. */
export type ActivityStory = { id: string; entries: readonly AuditEntry[]; head: AuditEntry }

/** Entries, newest first, as stories; the one with the newest entry comes first. With `apart`, each is a story. */
export function storiesIn(entries: readonly AuditEntry[], { apart = false } = {}): ActivityStory[] {
  // An entry that is appended between two reads can be on both pages.
  const once = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
  const groups = Map.groupBy(once, ({ id, story }) => (apart ? id : (story ?? id)))
  return [...groups].map(([id, own]) => ({ id, entries: own, head: headOf(own) }))
}

// How it ended, and not what follows from that.
function headOf(entries: readonly AuditEntry[]): AuditEntry {
  const head = entries.find(({ action }) => !isStep(action)) ?? entries[0]
  if (head === undefined) throw new Error('a story without entries')
  return head
}

/** How many calls of a program there were, and when: `12 times, 09:00 to 09:50`. Empty for one, and for others. */
export function timesText({ entries, head }: ActivityStory): string {
  const [first, last] = [entries.at(-1), entries[0]]
  if (!isRepeated(head.action) || entries.length < 2 || !first || !last) return ''
  return `${entries.length} times, ${timeOfDay(first.at)} to ${timeOfDay(last.at)}`
}

/** What a story looks like at a glance. */
export type StoryMark = 'approved' | 'waits' | 'alarm' | 'refused' | 'added' | 'changed' | 'program' | 'rules'

/** Another person may have requested an approval that never returned to a terminal. */
const ALARMS: readonly AuditAction[] = [
  'delivery.not_released',
  'deposit.not_released',
  'names.not_released',
  'touch.refused',
]
const WAITING: readonly AuditAction[] = ['delivery.first_approved', 'request.vouched', 'proposal.created']
const MARKS = {
  approvals: 'approved',
  machines: 'program',
  rules: 'rules',
  refused: 'refused',
  sign_ins: 'rules',
} as const

/** @returns what stands before a story */
export function markOf({ head: { action } }: ActivityStory): StoryMark {
  if (ALARMS.includes(action)) return 'alarm'
  if (WAITING.includes(action)) return 'waits'
  const group = auditGroupOf(action)
  if (group !== 'values') return MARKS[group]
  return /\.(created|attached|imported|duplicated)$/.test(action) ? 'added' : 'changed'
}
