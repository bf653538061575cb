import { expect, test } from 'vitest'
import * as accounts from './accounts/limits.ts'
import * as limits from './limits.ts'
import { spanText } from './limits.ts'
import * as machines from './machines/limits.ts'
import * as webhooks from './webhooks/limits.ts'

test.each([
  [15, '15 seconds'],
  [90, '90 seconds'],
  [300, '5 minutes'],
  [3_600, '1 hour'],
  [86_400, '24 hours'],
  [432_000, '5 days'],
])('%i s as a bound read %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text)
})

// A client, a receiver or an operator meets each of these numbers. After an intended change: `-u`.
test('the limits are those that are written down', async () => {
  const numbers = Object.entries({ ...limits, ...accounts, ...machines, ...webhooks }).filter(
    ([, value]) => typeof value === 'object',
  )
  await expect(`${JSON.stringify(Object.fromEntries(numbers), null, 2)}\n`).toMatchFileSnapshot('limits.json')
})
