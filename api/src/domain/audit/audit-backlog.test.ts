import { expect, test } from 'vitest'
import { BACKLOG, backlogOf, type Waiting } from './audit-backlog.ts'

const NOW = new Date('2026-06-01T00:10:00.000Z')

const judged = (change: Partial<Waiting>) => {
  const { late, full } = backlogOf([{ tenantId: 't', count: 1, oldest: NOW.toISOString(), ...change }], NOW)
  return { isLate: late.has('t'), isFull: full.has('t') }
}

test('a few fresh events are no backlog', () => {
  expect(judged({})).toEqual({ isLate: false, isFull: false })
})

test('too many events are late, and far too many refuse changes', () => {
  expect(judged({ count: BACKLOG.alarm })).toEqual({ isLate: false, isFull: false })
  expect(judged({ count: BACKLOG.alarm + 1 })).toEqual({ isLate: true, isFull: false })
  expect(judged({ count: BACKLOG.full })).toEqual({ isLate: true, isFull: false })
  expect(judged({ count: BACKLOG.full + 1 })).toEqual({ isLate: true, isFull: true })
})

const at = (ageMs: number) => new Date(NOW.getTime() - ageMs).toISOString()

test('an event that waits too long is late', () => {
  expect(judged({ oldest: at(BACKLOG.alarmAgeMs) }).isLate).toBe(false)
  expect(judged({ oldest: at(BACKLOG.alarmAgeMs + 1) }).isLate).toBe(true)
})
