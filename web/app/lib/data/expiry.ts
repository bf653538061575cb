import type { AnswerOf } from '@keyferry/contract/client'
import type { Key } from '../calls/answers.ts'
import { serverNowMs } from '../calls/server-clock.ts'
import { useAnswer } from '../calls/use-call.ts'
import { ago, ahead } from '../words/time.ts'

const AHEAD_DAYS = 365
const DAY_MS = 86_400_000

/** A key with the time at which its value expires or should be replaced. */
export type DatedKey = Key & { due_at: string }

/** Keys whose values expire or should be replaced within a year, the most urgent first. */
export function useDatedKeys() {
  const input = { due: '1', within_days: AHEAD_DAYS, uses: '1' } as const
  return useAnswer('listKeys', input, { select: inOrder })
}

function inOrder(keys: AnswerOf<'listKeys'>): DatedKey[] {
  return keys
    .flatMap((key) =>
      key.due_at === null || key.due_at === undefined ? [] : [{ ...key, due_at: key.due_at }],
    )
    .toSorted((a, b) => Date.parse(a.due_at) - Date.parse(b.due_at))
}

/** How urgent a value is, as marks and lists say it. */
export function dueKind({ due }: Pick<Key, 'due'>): 'expired' | 'due' | 'later' {
  if (due === null) return 'later'
  return due === 'expired' ? 'expired' : 'due'
}

/** `expired 2 days ago`, `in 3 days`, `replace since 5 days`. */
export function dueWhen({ due, due_at }: DatedKey, nowMs = serverNowMs()): string {
  if (Date.parse(due_at) > nowMs) return ahead(due_at, nowMs)
  return due === 'expired' ? `expired ${ago(due_at, nowMs)}` : `due ${ago(due_at, nowMs)}`
}

/** How many days from now, with a fraction. */
export const daysUntil = ({ due_at }: DatedKey, nowMs = serverNowMs()): number =>
  (Date.parse(due_at) - nowMs) / DAY_MS
