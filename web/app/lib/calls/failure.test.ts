import { ERROR_CODES } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import { expect, test } from 'vitest'
import { canTryAgainAfter, describeFailure } from './failure.ts'

function refused(
  status: number,
  code: string,
  message = 'a message',
  retryAfterSeconds: number | null = null,
) {
  return describeFailure(new CallError({ status, code, message, details: {}, retryAfterSeconds }))
}

test('what the server says becomes a sentence', () => {
  expect(refused(409, 'conflict', 'bundle with this name already exists').message).toBe(
    'Bundle with this name already exists.',
  )
})

test.each([
  [null, 'Too many requests. Try again in a moment.'],
  [30, 'Too many requests. Try again in 30 seconds.'],
  [89, 'Too many requests. Try again in 89 seconds.'],
  [90, 'Too many requests. Try again in 2 minutes.'],
  [120, 'Too many requests. Try again in 2 minutes.'],
  [121, 'Too many requests. Try again in 3 minutes.'],
  [900, 'Too many requests. Try again in 15 minutes.'],
])('after %s seconds one may try again', (seconds, message) => {
  expect(refused(429, 'too_many', 'Too many requests', seconds).message).toBe(message)
})

test('technical messages are replaced', () => {
  expect(refused(500, 'internal', 'internal error').message).toMatch(/^The server made a mistake/)
  expect(refused(503, 'unavailable').message).toMatch(/cannot reach its storage/)
})

test('no answer and a refusal have different texts', () => {
  Object.defineProperty(navigator, 'onLine', { value: true, configurable: true })
  const { status, code, message } = describeFailure(new TypeError('fetch failed'))
  expect([status, code]).toEqual([null, 'unreachable'])
  expect(message).toContain('does not answer')
})

test.each(['Forbidden', 'Forbidden: another person approved this request', 'Forbidden: not a member'])(
  'no page shows the bare word of “%s”, whatever its code and status',
  (message) => {
    const shown = ERROR_CODES.flatMap((code) =>
      [400, 401, 403, 404, 409, 429, 503].map((status) => refused(status, code, message).message),
    )
    expect(shown.filter((text) => !/^[A-Z].*[.]$/.test(text) || text.startsWith('Forbidden'))).toEqual([])
  },
)

test('a refusal says who can help, and another try is offered only where it can', () => {
  const forbidden = refused(403, 'forbidden', 'Forbidden: owner role required')
  expect(forbidden.message).toBe(
    'Only an owner of this workspace can do this. The Members page names the owners: ask one of them.',
  )
  const failures = [
    forbidden,
    refused(404, 'not_found'),
    refused(429, 'too_many'),
    refused(503, 'unavailable'),
  ]
  expect(failures.map(canTryAgainAfter)).toEqual([false, false, true, true])
})
