import { expect, test } from 'vitest'
import { stepClocks } from './clock.ts'

const DELIVERED_WITHIN_MS = 5_000

for (const processes of ['all', 'separate'] as const)
  test.concurrent(`a clock stepped by an hour each way costs nothing (${processes})`, async () => {
    const { deliveredMs, faults } = await stepClocks({ processes })
    expect(faults).toEqual([])
    expect(Math.max(...deliveredMs)).toBeLessThan(DELIVERED_WITHIN_MS)
  }, 60_000)
