import { expect, test } from 'vitest'
import type { Holder, KeyVersion } from '../../lib/calls/answers.ts'
import { lifeLine } from './life-line.ts'

const NOW = Date.parse('2026-11-26T12:00:00Z')
const DAY = 86_400_000
const daysAgo = (days: number) => new Date(NOW - days * DAY).toISOString()

const version = (number: number, days: number): KeyVersion => ({
  version: number,
  current: false,
  value: null,
  is_template: false,
  set_at: daysAgo(days),
  set_by: { kind: 'user', id: 'u', name: 'sam' },
  proposed_by: null,
  changed_elsewhere_at: null,
  how: 'set',
  restored_from: null,
  replaced_at: null,
  destroyed_at: null,
  holders: 0,
})

const holder = (number: number): Holder => ({
  version: number,
  perhaps_version: null,
  is_current: false,
  state: 'given',
  holder: 'h',
  label: null,
  via: null,
  first_at: daysAgo(60),
  last_at: daysAgo(1),
  times: 1,
  delivery_id: 'd',
  kind: 'user',
  id: 'u',
  name: 'lee',
})

const VERSIONS = [version(5, 10), version(4, 50), version(3, 90), version(2, 400), version(1, 800)]
const line = (given: Partial<Parameters<typeof lifeLine>[0]> = {}) =>
  lifeLine({ versions: VERSIONS, holders: [], expiresAt: null, nowMs: NOW, ...given })

test('it begins with the version before the current one, and ends a little after today', () => {
  const { bands, today } = line()
  expect(bands.map(({ version: shown, isCurrent }) => [shown, isCurrent])).toEqual([
    [4, false],
    [5, true],
  ])
  expect(bands[0]).toMatchObject({ from: 0, to: bands[1]?.from })
  expect(bands[1]?.to).toBe(100)
  expect(today).toBeCloseTo(100 / 1.12)
})

test('it begins with the version before the oldest that a holder has', () => {
  expect(line({ holders: [holder(4), holder(5)] }).bands[0]?.version).toBe(3)
})

test('a holder of a version that was replaced long ago does not press the others together', () => {
  const many = Array.from({ length: 40 }, (_, index) => version(40 - index, index * 10))
  const { bands, at } = line({ versions: many, holders: [holder(1)] })
  expect(bands.map(({ version: shown }) => shown)).toEqual([36, 37, 38, 39, 40])
  expect(at(daysAgo(60))).toBe(0)
})

test('an expiry that is near is on the line; one that is far or past its beginning is not', () => {
  const near = line({ expiresAt: daysAgo(-9) })
  expect(near.expiry).toBeGreaterThan(near.today)
  expect(near.expiry).toBeLessThan(100)
  expect(line({ expiresAt: daysAgo(5) }).expiry).toBeLessThan(near.today)
  expect(line({ expiresAt: daysAgo(-400) }).expiry).toBeNull()
  expect(line({ expiresAt: daysAgo(400) }).expiry).toBeNull()
})

test('a value of a minute ago has a line too', () => {
  const { bands, at, ticks } = line({ versions: [version(1, 0)] })
  expect(bands).toHaveLength(1)
  expect(at(daysAgo(0))).toBeGreaterThan(80)
  expect(ticks.length).toBeLessThanOrEqual(6)
})

test.each([0.1, 1, 3, 30, 100, 400, 2_000])('over %d days it has at most six marks, in order', (days) => {
  const { ticks } = line({ versions: [version(2, 0), version(1, days)] })
  expect(ticks.length).toBeLessThanOrEqual(6)
  expect(ticks.map(({ at }) => at)).toEqual(ticks.map(({ at }) => at).toSorted((a, b) => a - b))
})

test('over more than two months, each mark is a month', () => {
  expect(line({ versions: [version(2, 0), version(1, 70)] }).ticks).toHaveLength(2)
})
