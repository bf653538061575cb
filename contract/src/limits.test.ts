import { expect, test } from 'vitest'
import { spanText } from './limits.ts'

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
