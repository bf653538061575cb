import { afterEach, expect, test } from 'vitest'
import { noteServerTime, serverNowMs } from './server-clock.ts'

const DATE = 'Sat, 31 Jan 2026 12:00:00 GMT'
const serverMs = Date.parse(DATE)

afterEach(() => noteServerTime(new Date().toUTCString()))

test('a clock that is an hour off is corrected', () => {
  noteServerTime(DATE, serverMs + 3_600_000)
  expect(serverNowMs(serverMs + 3_605_000)).toBe(serverMs + 5_000)
})

test('a difference of one second is the rounding of the header', () => {
  noteServerTime(DATE, serverMs + 900)
  expect(serverNowMs(1_000)).toBe(1_000)
})

test('an answer without a readable date changes nothing', () => {
  noteServerTime(DATE, serverMs + 3_600_000)
  noteServerTime(null)
  noteServerTime('nonsense')
  expect(serverNowMs(serverMs + 3_600_000)).toBe(serverMs)
})
