import { AUDIT_GROUPS, type AuditGroup } from '@keyferry/contract/audit-groups'
import type { ActivityFilter } from '../../lib/activity/entries.ts'
import type { AuditDays } from '../../lib/calls/answers.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { beginningOf } from '../../lib/words/due.ts'

type ActivityField = 'by' | 'about' | 'group' | 'from' | 'to' | 'view'

/** What the page shows: whose, about what, of which kind, on which days. It is in the address, so that it can be
 * linked to. */
export function useActivityFilters() {
  const { textOf, set, setAll } = useAddressFields<ActivityField>()
  const [by, about, from, to] = [textOf('by'), textOf('about'), textOf('from'), textOf('to')]
  const group = AUDIT_GROUPS.find((name) => name === textOf('group')) ?? null
  const filter: ActivityFilter = {
    ...(by === '' ? {} : { actor: by }),
    ...(about === '' ? {} : { target: about }),
    ...(group === null ? {} : { group }),
    ...time('from', from),
    ...time('to', dayAfter(to)),
  }
  const setDays = (first: string, last: string) => setAll({ from: first, to: last })
  return { by, about, group, from, to, isApart: textOf('view') === 'entries', set, setDays, filter }
}

export type ActivityFilters = ReturnType<typeof useActivityFilters>

/** How many stories there were on a day, of one kind or of all. */
export function totalOf(counts: AuditDays['days'][number]['counts'], group: AuditGroup | null): number {
  if (group !== null) return counts[group]
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function time(field: 'from' | 'to', day: string): ActivityFilter {
  const at = isDay(day) ? beginningOf(day) : null
  return at === null ? {} : { [field]: at }
}

// The API leaves `to` itself out, so that the chosen day is included.
function dayAfter(day: string): string {
  if (!isDay(day)) return ''
  const date = new Date(`${day}T00:00Z`)
  date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}
