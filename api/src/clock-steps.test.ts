import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClockSteps } from './clock-steps.ts'

const DAY_SECONDS = 24 * 60 * 60
const machine = { upSeconds: 0 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1) })
  vi.spyOn(os, 'uptime').mockImplementation(() => machine.upSeconds)
  syncBuiltinESMExports()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

function passes(days: { onClock: number; onMachine: number }): void {
  vi.setSystemTime(Date.now() + days.onClock * DAY_SECONDS * 1_000)
  machine.upSeconds += days.onMachine * DAY_SECONDS
}

test.each([
  ['of this machine', {}],
  ['of another', { upSeconds: () => machine.upSeconds }],
])('only days that did not pass are a jump of the clock %s', (_what, parts) => {
  const steps = new ClockSteps(parts)
  passes({ onClock: 30, onMachine: 30 })
  expect([steps.isAhead(), steps.warnings]).toEqual([false, []])
  passes({ onClock: 0.9, onMachine: 0 })
  expect(steps.isAhead()).toBe(false)
  passes({ onClock: 2.2, onMachine: 1 })
  expect(steps.isAhead()).toBe(true)
  expect(steps.warnings).toEqual([expect.stringContaining('jumped 2 days ahead')])
  passes({ onClock: 0, onMachine: 2 })
  expect(steps.isAhead()).toBe(false)
})

test('a clock that a test sets never jumps', () => {
  const steps = new ClockSteps({ now: () => new Date() })
  passes({ onClock: 30, onMachine: 0 })
  expect(steps.isAhead()).toBe(false)
})
