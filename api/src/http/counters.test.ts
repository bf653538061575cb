import { expect, test } from 'vitest'
import { memoryCounter } from './counters.ts'

const WINDOW_MS = 60_000

function counterAt(startMs: number) {
  const clock = { nowMs: startMs }
  return { clock, count: memoryCounter(WINDOW_MS, () => clock.nowMs) }
}

test('a window begins with its first call, also when the generations rotate', async () => {
  for (const offsetMs of [0, 1, 30_000, 59_999, 60_000, 60_001, 119_999, 500_000]) {
    const { clock, count } = counterAt(1_000_000)
    clock.nowMs += offsetMs
    expect(await count('key')).toEqual({ calls: 1, msLeft: WINDOW_MS })
    clock.nowMs += WINDOW_MS - 1
    expect(await count('key')).toEqual({ calls: 2, msLeft: 1 })
    clock.nowMs += 1
    expect(await count('key')).toEqual({ calls: 1, msLeft: WINDOW_MS })
  }
})

test('calls of other callers in between do not reset a window', async () => {
  const { clock, count } = counterAt(0)
  clock.nowMs = 50_000
  await count('key')
  for (clock.nowMs = 51_000; clock.nowMs < 110_000; clock.nowMs += 1_000) await count('other')
  clock.nowMs = 109_999
  expect(await count('key')).toEqual({ calls: 2, msLeft: 1 })
})

test('a clock that is set back an hour blocks no caller', async () => {
  const { clock, count } = counterAt(10_000_000)
  await count('key')
  clock.nowMs -= 3_600_000
  expect(await count('key')).toEqual({ calls: 1, msLeft: WINDOW_MS })
  clock.nowMs += 1_000
  expect(await count('key')).toEqual({ calls: 2, msLeft: WINDOW_MS - 1_000 })
})

test('a call that is taken back does not count', async () => {
  const { clock, count } = counterAt(0)
  await count('key')
  clock.nowMs += 10
  await count('key')
  expect(await count('key', -1)).toEqual({ calls: 1, msLeft: WINDOW_MS - 10 })
})
