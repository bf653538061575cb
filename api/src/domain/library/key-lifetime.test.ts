import { expect, test } from 'vitest'
import { dueBy, dueOf, dueTime, rotationTime } from './key-lifetime.ts'

const NOW = new Date('2026-06-15T12:00:00.000Z')
const at = (days: number, ms = 0) => new Date(NOW.getTime() + days * 86_400_000 + ms).toISOString()

test.each([
  ['expired at this moment', at(0), null, 'expired'],
  ['expiring a moment before it expires', at(0, 1), null, 'expiring'],
  ['expiring exactly two weeks before', at(14), null, 'expiring'],
  ['not due a moment earlier', at(14, 1), null, null],
  ['to be replaced at this moment', null, at(0), 'rotate'],
  ['not due a moment before it has to be replaced', null, at(0, 1), null],
  ['expired, which is more urgent than a replacement', at(-1), at(-2), 'expired'],
  ['expiring, which is more urgent than a replacement', at(1), at(-2), 'expiring'],
  ['not due without a time', null, null, null],
])('a value is %s', (_, expires_at, rotate_at, due) => {
  expect(dueOf({ expires_at, rotate_at }, NOW)).toBe(due)
})

test('whichever comes first is when a value is due', () => {
  expect(dueTime({ expires_at: at(2), rotate_at: at(1) })).toBe(at(1))
  expect(dueTime({ expires_at: at(1), rotate_at: at(2) })).toBe(at(1))
  expect(dueTime({ expires_at: null, rotate_at: at(2) })).toBe(at(2))
})

test('what is due within some days includes what shows as expiring, and replacements of these days only', () => {
  expect(dueBy(NOW)).toEqual({ expiresBy: at(14), rotateBy: at(0) })
  expect(dueBy(NOW, 30)).toEqual({ expiresBy: at(30), rotateBy: at(30) })
})

test('the days until a replacement count from the change on the other server, if the value was moved', () => {
  expect(rotationTime({ value_set_at: at(0), value_changed_elsewhere_at: null }, 30)).toBe(at(30))
  expect(rotationTime({ value_set_at: at(0), value_changed_elsewhere_at: at(-20) }, 30)).toBe(at(10))
  expect(rotationTime({ value_set_at: at(0), value_changed_elsewhere_at: null }, null)).toBeNull()
})
