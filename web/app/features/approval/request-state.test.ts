import { expect, test } from 'vitest'
import { endOf } from './request-state.ts'

const at = '2026-01-31T12:00:00.000Z'
const atMs = Date.parse(at)
const failure = (status: number | null, code = 'x') => ({ status, code, message: '', details: {} })

test.each([
  ['denied', failure(404, 'request_denied'), 'denied'],
  ['withdrawn', failure(404, 'request_withdrawn'), 'withdrawn'],
  ['expired', failure(404, 'request_expired'), 'expired'],
  ['unknown after its time', failure(404), 'expired'],
  ['approved by another person', failure(409), 'already_approved'],
  ['signed out', failure(401), 'signed_out'],
  ['no member', failure(403, 'forbidden'), 'forbidden'],
  ['a rule of the bundle', failure(403, 'release_required'), null],
  ['a refusal of a newer server', failure(403, 'later_rule'), null],
  ['other keys than the first person chose', { ...failure(409), details: { keys: ['A'] } }, null],
  ['a plan that changed', failure(409, 'plan_changed'), null],
  ['a server in trouble', failure(503), null],
  ['a server that is gone', failure(null), null],
  ['a wrong code', failure(400), null],
])('%s', (_, given, end) => {
  expect(endOf(given, at, atMs)).toBe(end)
})

test('unknown before its time means that it was used', () => {
  expect(endOf(failure(404), at, atMs - 1)).toBe('gone')
  expect(endOf(failure(404), null, atMs)).toBe('gone')
})
