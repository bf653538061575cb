import { expect, test } from 'vitest'
import { killBeforeCalls } from './webhook-kills.ts'

test('a server that is killed between a change and its webhook calls after its next start', async () => {
  const { acknowledged, faults } = await killBeforeCalls({ kills: 3, longestLifeMs: 250 })
  expect([acknowledged, faults]).toEqual([15, []])
})
