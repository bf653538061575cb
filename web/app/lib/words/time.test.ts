import { expect, test } from 'vitest'
import { ago, ahead, clockTime } from './time.ts'

test.each([
  [300_000, '5:00'],
  [247_300, '4:08'],
  [59_001, '1:00'],
  [1, '0:01'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('%i ms left reads %s', (ms, text) => {
  expect(clockTime(ms)).toBe(text)
})

test.each([
  [0, 'just now'],
  [4_999, 'just now'],
  [12_000, '12 seconds ago'],
  [60_000, '1 minute ago'],
  [7_200_000, '2 hours ago'],
  [90_000_000, '1 day ago'],
  [-60_000, 'just now'],
])('%i ms ago reads %s', (ms, text) => {
  const at = '2026-01-31T12:00:00.000Z'
  expect(ago(at, Date.parse(at) + ms)).toBe(text)
})

test.each([
  [-1, 'in a moment'],
  [999, 'in a moment'],
  [60_000, 'in 1 minute'],
  [59_500, 'in 1 minute'],
  [59 * 60_000 + 30_000, 'in 1 hour'],
  [8 * 3_600_000 - 1_000, 'in 8 hours'],
  [7 * 3_600_000 + 1_000, 'in 7 hours'],
  [23 * 3_600_000 + 29 * 60_000, 'in 23 hours'],
  [23 * 3_600_000 + 30 * 60_000, 'in 1 day'],
  [90 * 86_400_000 - 1_000, 'in 90 days'],
  [5 * 86_400_000, 'in 5 days'],
])('%i ms ahead reads %s', (ms, text) => {
  const at = '2026-01-31T12:00:00.000Z'
  expect(ahead(at, Date.parse(at) - ms)).toBe(text)
})
