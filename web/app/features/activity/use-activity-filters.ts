import type { AuditAction } from '@keyferry/contract'
import { ACTIONS } from '../../lib/activity/actions.ts'
import type { ActivityFilter } from '../../lib/activity/entries.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { beginningOf } from '../../lib/words/due.ts'

const FIELDS = ['by', 'about', 'what', 'from', 'to'] as const

/** Who, what, about what and when, kept in the address so that a selection can be linked to. */
export function useActivityFilters() {
  const { textOf, set } = useAddressFields(FIELDS)
  const [by, about, from, to] = [textOf('by'), textOf('about'), textOf('from'), textOf('to')]
  const action = actionNamed(textOf('what'))
  const filter: ActivityFilter = {
    ...(by === '' ? {} : { actor: by }),
    ...(about === '' ? {} : { target: about }),
    ...(action === null ? {} : { action }),
    ...time('from', from),
    ...time('to', dayAfter(to)),
  }
  return { by, about, what: action ?? '', from, to, set, filter }
}

function actionNamed(name: string): AuditAction | null {
  return ACTIONS.find((action) => action === name) ?? null
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
