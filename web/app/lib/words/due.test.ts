import { describe, expect, test } from 'vitest'
import { beginningOf, dayOf, dueText } from './due.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const NEVER = {
  expires_at: null,
  rotate_after_days: null,
  value_set_at: '2025-10-01T12:00:00.000Z',
  value_changed_elsewhere_at: null,
}
const MOVED = { ...NEVER, value_changed_elsewhere_at: '2024-01-31T12:00:00.000Z' }

test.each([
  [{ ...NEVER, due: null }, null],
  [{ ...NEVER, due: 'expired', expires_at: '2026-01-28T12:00:00.000Z' }, 'expired 3 days ago'],
  [{ ...NEVER, due: 'expiring', expires_at: '2026-02-05T12:00:00.000Z' }, 'expires in 5 days'],
  [{ ...NEVER, due: 'rotate', rotate_after_days: 90 }, 'set 122 days ago, replace after 90 days'],
  [{ ...MOVED, due: 'rotate', rotate_after_days: 90 }, 'changed 731 days ago, replace after 90 days'],
] as const)('%o reads %s', (deadlines, text) => {
  expect(dueText(deadlines, NOW)).toBe(text)
})

describe('a date field', () => {
  test.each(['2026-01-31', '2026-03-29', '2027-12-01'])('shows %s again after it was stored', (day) => {
    expect(dayOf(beginningOf(day))).toBe(day)
  })

  test('that is empty means no time', () => {
    expect(beginningOf('')).toBeNull()
    expect(dayOf(null)).toBe('')
  })
})
