import { expect, test } from 'vitest'
import { stepClocks } from './clock.ts'

for (const processes of ['all', 'separate'] as const)
  test.concurrent(`a clock stepped by an hour each way costs nothing (${processes})`, async () => {
    const { faults } = await stepClocks({ processes })
    expect(faults).toEqual([])
  })
