import { expect, test } from 'vitest'
import { type OutageResult, storeOutages, sufferOutage } from './outages.ts'

function expectRefusedMeanwhile({ answers, health, faults }: OutageResult): void {
  for (const { status, retryAfter, isWellFormedError } of answers)
    expect({ status, retryAfter, isWellFormedError }).toEqual({
      status: 503,
      retryAfter: expect.stringMatching(/^[1-9]\d*$/),
      isWellFormedError: true,
    })
  expect(health.map(({ status }) => status)).toEqual(health.map(() => 200))
  expect(faults).toEqual([])
}

test('PostgreSQL or Redis gone: 503 with Retry-After; back again: all works without a restart', async (context) => {
  let count = 0
  for await (const outage of storeOutages()) {
    expectRefusedMeanwhile(await sufferOutage(outage))
    count++
  }
  context.skip(count === 0)
})
