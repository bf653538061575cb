import { expect, test } from 'vitest'
import { type Confirmation, counts, PENDING } from './approval-key.ts'

const NOW = '2026-06-15T12:00:00.000Z'
const waiting = (countsFrom: string | null): Confirmation => ({
  state: 'waiting',
  endorsedBy: 'sam',
  countsFrom,
  confirmedBy: 'sam',
})

test.each([
  ['a new key', PENDING, false],
  ['a key whose day is not over', waiting('2026-06-15T12:00:00.001Z'), false],
  ['a key whose day ends now', waiting(NOW), true],
  ['a key whose day is over', waiting('2026-06-15T11:59:59.999Z'), true],
  ['a key that waits without an end', waiting(null), false],
  ['an active key', { ...waiting(null), state: 'active' as const }, true],
])('%s counts: %s', (_, key, isCounted) => expect(counts(key, NOW)).toBe(isCounted))
