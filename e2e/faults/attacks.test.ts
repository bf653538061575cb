import { RATES } from '@keyferry/contract/limits'
import { expect, test } from 'vitest'
import { approveTooMuch, sendJunk, storeRequests } from './attacks.ts'

// A server that reads all values before it refuses grows by their size, twice over.
const VALUES = 400
const GROWTH_MIB = 40

// `npm run faults -- junk` opens 500.
const JUNK_CONNECTIONS = 60

test('an approval far beyond the bound is refused before its values are read, and others are served', async () => {
  const { status, growthMiB, others, delivered } = await approveTooMuch(VALUES)
  expect(status).toBe(413)
  expect(growthMiB).toBeLessThan(GROWTH_MIB)
  expect(others.every((answer) => answer.status === 200)).toBe(true)
  expect(delivered).toBe(9)
})

test('junk connections give their file descriptors back', async () => {
  const { before, after } = await sendJunk('junk', JUNK_CONNECTIONS, 50_000)
  expect(after).toBeLessThanOrEqual(before)
})

test('20 addresses cannot store more requests than the bound, and other calls go on', async () => {
  const bound = 150
  const { statuses, oversized, others } = await storeRequests(20, bound)
  const { calls } = RATES.createRequest
  expect(statuses).toEqual({ 201: bound, 503: 20 * calls - bound, 429: 20 * (12 - calls) })
  expect(oversized).toBe(413)
  expect(others.every(({ status }) => status === 200)).toBe(true)
})
