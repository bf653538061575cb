import { expect, test } from 'vitest'
import { type OutageResult, storeOutages, sufferOutage } from './outages.ts'

const ANSWERS_WITHIN_MS = 10_000
const RECOVERS_WITHIN_MS = 10_000

function expectRefusedMeanwhile({ answers, health, recoveredMs, faults }: OutageResult): void {
  for (const { status, retryAfter, isWellFormedError } of answers)
    expect({ status, retryAfter, isWellFormedError }).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^[1-9]\d*$/),
      isWellFormedError: true,
    })
  expect(health.map(({ status }) => status)).toEqual(health.map(() => 200))
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(ANSWERS_WITHIN_MS)
  expect(recoveredMs).toBeLessThan(RECOVERS_WITHIN_MS)
  expect(faults).toEqual([])
}

test('PostgreSQL or Redis gone: 503 with Retry-After; back again: all works without a restart', async (context) => {
  let count = 0
  for await (const outage of storeOutages()) {
    expectRefusedMeanwhile(await sufferOutage(outage))
    count++
  }
  context.skip(count === 0)
}, 120_000)
