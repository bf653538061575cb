import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { expect, test } from 'vitest'
import { merged, messageBody } from './webhook-body.ts'
import { type CallOutcome, type DueWebhook, hasRoom, settlementOf } from './webhook-outbox.ts'

const NOW = new Date('2026-06-01T00:00:00.000Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toISOString()
const FAILED: CallOutcome = { status: 500, word: 'http', ms: 5, retryAfter: null }

const settled = (
  failures: number,
  { outcome = FAILED, random = 0.5, failingSince = null as string | null } = {},
) => {
  const message = { giveUpAt: later(WEBHOOK_TIMES.triedSeconds), failures, failingSince }
  return settlementOf({ message, outcome, now: NOW, random })
}

test.each([
  [0, 5],
  [1, 300],
  [2, 1_800],
  [3, 7_200],
  [4, 18_000],
  [5, 36_000],
  [6, 86_400],
  [50, 86_400],
])('after failure %i, the next call comes %i s later', (failures, seconds) => {
  expect(settled(failures)).toEqual({ state: 'waiting', retryAt: later(seconds), end: null })
})

test('a fifth of the delay is random, both ways', () => {
  expect([settled(1, { random: 0 }), settled(1, { random: 1 })]).toMatchObject([
    { retryAt: later(240) },
    { retryAt: later(360) },
  ])
})

test.each([
  [60, 60],
  [1, 5],
  [1_000_000, 86_400],
])('Retry-After of %i s delays the next call for %i s', (retryAfter, seconds) => {
  expect(settled(0, { outcome: { ...FAILED, retryAfter } })).toMatchObject({ retryAt: later(seconds) })
})

test('410 and five days of failures turn a webhook off', () => {
  expect(settled(0, { outcome: { ...FAILED, status: 410 } })).toMatchObject({ state: 'failed', end: 'gone' })
  const since = later(-WEBHOOK_TIMES.triedSeconds)
  expect(settled(9, { failingSince: since })).toMatchObject({ state: 'waiting', end: 'failing' })
  expect(settled(9, { failingSince: later(1 - WEBHOOK_TIMES.triedSeconds) })).toMatchObject({ end: null })
})

const changed = (names: readonly string[], version: number | null = null) => ({
  type: 'bundle.changed',
  at: NOW.toISOString(),
  data: { seq: version ?? 1, keys: names.map((name) => ({ name, change: 'value' as const, version })) },
})

test('a message of several changes names each key once, with its last version', () => {
  expect(merged(changed(['A', 'B'], 2).data, changed(['A'], 3).data)).toEqual({
    seq: 3,
    keys: [
      { name: 'B', change: 'value', version: 2 },
      { name: 'A', change: 'value', version: 3 },
    ],
  })
})

test('a message names the latest keys of many, says that there are more, and keeps saying so', () => {
  const names = Array.from({ length: WEBHOOK_LIMITS.keys + 1 }, (_, index) => `K${index}`)
  const body = messageBody(changed(names))
  const { keys, keys_truncated } = JSON.parse(body).data
  expect([keys.length, keys[0].name, keys_truncated]).toEqual([WEBHOOK_LIMITS.keys, 'K1', true])
  expect(merged(JSON.parse(body).data, changed(['K7']).data).keys_truncated).toBe(true)
})

const calls = (count: number, isSlow: boolean): DueWebhook[] =>
  Array.from({ length: count }, (_, n) => ({ tenantId: `t${n}`, id: `${n}`, createdBy: `p${n}`, isSlow }))
const due = (isSlow: boolean): DueWebhook => ({ tenantId: 't', id: 'due', createdBy: 'p', isSlow })

test.each([
  ['a slow one beside 50 quick ones', true, calls(50, false), true],
  ['a slow one beside 49 slow ones', true, calls(49, true), true],
  ['a slow one beside 50 slow ones', false, calls(50, true), true],
  ['a quick one beside 50 slow ones', true, calls(50, true), false],
  ['a quick one beside 99 quick ones', true, calls(99, false), false],
  ['a quick one beside 100 quick ones', false, calls(100, false), false],
])('%s has room: %s', (_, expected, running, isSlow) => {
  expect(hasRoom(running, due(isSlow))).toBe(expected)
})
