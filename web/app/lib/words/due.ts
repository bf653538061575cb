import type { Key } from '../calls/answers.ts'
import { counted } from './counted.ts'
import { ago, ahead } from './time.ts'

type Due = NonNullable<Key['due']>
type DueFacts = Pick<
  Key,
  'due' | 'expires_at' | 'rotate_after_days' | 'value_set_at' | 'value_changed_elsewhere_at'
>

/** Why a value is due, in two words or fewer. */
export const DUE_NAMES: Readonly<Record<Due, string>> = {
  expired: 'Expired',
  expiring: 'Expires soon',
  rotate: 'Rotate',
}

/** Why a value should be replaced, for example `expires in 3 days`; null where nothing is due. */
export function dueText(deadlines: DueFacts, nowMs?: number) {
  const { due, expires_at, rotate_after_days: after, value_set_at } = deadlines
  if (due === null) return null
  if (due === 'rotate') return `${ageText(deadlines, nowMs)}, replace after ${counted(after ?? 0, 'day')}`
  const at = expires_at ?? value_set_at
  return due === 'expired' ? `expired ${ago(at, nowMs)}` : `expires ${ahead(at, nowMs)}`
}

function ageText({ value_set_at, value_changed_elsewhere_at: elsewhere }: DueFacts, nowMs?: number): string {
  return elsewhere === null ? `set ${ago(value_set_at, nowMs)}` : `changed ${ago(elsewhere, nowMs)}`
}

/** The day of a time, as a date field shows it: in the reader's own time zone. */
export function dayOf(timestamp: string | null): string {
  if (timestamp === null) return ''
  const at = new Date(timestamp)
  return `${String(at.getFullYear()).padStart(4, '0')}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

/** The time at which a day of a date field begins in the reader's own time zone; null for an empty field. */
export function beginningOf(day: string): string | null {
  return day === '' ? null : new Date(`${day}T00:00`).toISOString()
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}
