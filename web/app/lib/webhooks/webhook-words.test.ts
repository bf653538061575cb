import { WEBHOOK_EVENTS } from '@keyferry/contract/webhooks'
import { expect, test } from 'vitest'
import type { Webhook, WebhookMessage } from './answers.ts'
import { bundlesText, callWords, EVENTS, eventsText, webhookState } from './webhook-words.ts'

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()

const WEBHOOK: Webhook = {
  id: 'webhook',
  url: 'https://hooks.example/a',
  description: '',
  events: [],
  bundle_ids: [],
  is_active: true,
  created_by: 'someone',
  created_at: at(-60),
  old_secret_until: null,
  failing_since: null,
  failures: 0,
  next_at: null,
  ended_reason: null,
  last_delivered_at: at(-1),
  waiting: 0,
}

test.each([
  [{}, 'Works', null],
  [{ last_delivered_at: null }, 'Never called', null],
  [{ is_active: false }, 'Disabled', /An owner/],
  [{ is_active: false, ended_reason: 'gone' }, 'Turned off', /410/],
  [{ is_active: false, ended_reason: 'failing' }, 'Turned off', /5 days/],
  [
    { failing_since: at(-120), failures: 3, next_at: at(30) },
    'Failing',
    /3 calls failed, since 2 hours ago. The next call follows in 30 minutes/,
  ],
] as const)('a webhook with %o is named', (change, name, text) => {
  const state = webhookState({ ...WEBHOOK, ...change }, NOW)
  expect(state.name).toBe(name)
  if (text === null) expect(state.text).toBeNull()
  else expect(state.text).toMatch(text)
})

const MESSAGE: Pick<WebhookMessage, 'attempts' | 'last_status' | 'last_error' | 'last_ms'> = {
  attempts: 1,
  last_status: 204,
  last_error: null,
  last_ms: 18,
}

test.each([
  [{}, 'answered 204 in 18 ms'],
  [{ attempts: 2, last_status: 500, last_error: 'http' }, '2 calls, the last answered 500 in 18 ms'],
  [{ last_status: null, last_error: 'dns', last_ms: null }, 'the host’s name was not found'],
  [{ attempts: 0, last_status: null, last_ms: null }, 'no call yet'],
  [{ attempts: 0, last_status: null, last_error: 'expired', last_ms: null }, 'given up after 5 days'],
  [{ last_status: null, last_error: 'another' }, 'another in 18 ms'],
])('a message with %o', (change, words) => {
  expect(callWords({ ...MESSAGE, ...change })).toBe(words)
})

test('every event of the interface can be chosen', () => {
  expect(EVENTS).toEqual([...WEBHOOK_EVENTS])
})

test('what a webhook is called for', () => {
  expect([eventsText({ events: [] }), bundlesText({ bundle_ids: [] })]).toEqual(['all events', 'all bundles'])
  expect(eventsText({ events: ['key.changed'] })).toBe('key.changed')
  expect(eventsText({ events: ['key.changed', 'key.deleted'] })).toBe('2 events')
  expect([bundlesText({ bundle_ids: ['a'] }), bundlesText({ bundle_ids: ['a', 'b'] })]).toEqual([
    '1 bundle',
    '2 bundles',
  ])
})
