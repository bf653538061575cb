import { expect, test } from 'vitest'
import { Deployment } from './deployment.ts'
import { fuzzEnvText } from './env-fuzz.ts'
import { fuzzHttp } from './http-fuzz.ts'

// `npm run faults -- fuzz` runs 20,000.
const RUNS = 500

test('ENV text: every map is read back, every text is read or refused', () => {
  fuzzEnvText(RUNS)
})

test('mutated requests get no 5xx, and an error is always {error, code}', async () => {
  await using deployment = await Deployment.start({ processes: 'all' })
  const { sent, statuses, wrong } = await fuzzHttp(deployment.address, RUNS)
  expect(wrong).toEqual([])
  expect(Object.values(statuses).reduce((sum, count) => sum + count, 0)).toBe(sent)
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['201', '400', '404']))
  expect((await fetch(`${deployment.address}/healthz`)).status).toBe(200)
})
