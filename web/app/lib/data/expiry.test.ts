import { expect, test } from 'vitest'
import { daysUntil, dueKind, dueWhen } from './expiry.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')

const dated = (due: 'expired' | 'soon' | null, due_at: string) =>
  ({ due, due_at }) as unknown as Parameters<typeof dueWhen>[0]

test.each([
  ['expired', 'expired'],
  ['soon', 'due'],
  [null, 'later'],
] as const)('a value whose date is %s is marked %s', (due, kind) => {
  expect(dueKind(dated(due, ''))).toBe(kind)
})

test('a date is said from now', () => {
  expect(dueWhen(dated('expired', '2026-03-08T12:00:00Z'), NOW)).toBe('expired 2 days ago')
  expect(dueWhen(dated('soon', '2026-03-08T12:00:00Z'), NOW)).toBe('due 2 days ago')
  expect(dueWhen(dated('soon', '2026-03-10T12:00:00Z'), NOW)).toBe('due just now')
  expect(dueWhen(dated('soon', '2026-03-13T12:00:00Z'), NOW)).toBe('in 3 days')
  expect(daysUntil(dated(null, '2026-03-13T00:00:00Z'), NOW)).toBe(2.5)
})
