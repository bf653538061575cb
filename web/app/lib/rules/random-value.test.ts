import { expect, test } from 'vitest'
import { randomValue } from './random-value.ts'

test('a generated value has 256 random bits, in letters that no shell or file has to quote', () => {
  const values = Array.from({ length: 200 }, randomValue)
  for (const value of values) expect(value).toMatch(/^[\w-]{43}$/)
  expect(new Set(values).size).toBe(200)
  expect(values.every((value) => Buffer.from(value, 'base64url').length === 32)).toBe(true)
})
