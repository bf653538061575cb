import { expect, test } from 'vitest'
import { stateOf, stateOfFailure } from './companion-outcomes.tsx'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const heldUntil = (until: string) => ({ by: 'loopback' as const, until })

test.each([
  ['pending', null, 'not_approved'],
  ['held', heldUntil('2026-01-31T12:00:09.000Z'), 'underway'],
  ['held', heldUntil('2026-01-31T12:00:00.000Z'), 'not_returned'],
  ['ready', null, 'underway'],
] as const)('a request that is %s (%o) is %s', (status, held, state) => {
  expect(stateOf({ status, held }, NOW)).toBe(state)
})

test.each([
  [404, 'request_denied', 'denied'],
  [404, 'request_withdrawn', 'withdrawn'],
  [404, 'request_expired', 'expired'],
  [404, 'not_found', 'delivered'],
  [null, 'unreachable', null],
  [500, 'internal', null],
] as const)('an answer %s %s means %s', (status, code, state) => {
  expect(stateOfFailure({ status, code, message: '', details: {} })).toBe(state)
})
