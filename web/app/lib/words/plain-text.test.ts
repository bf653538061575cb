import { expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

test.each([
  [null, 'empty'],
  ['', 'empty'],
  [[], 'empty'],
  [['a'], 'a'],
  [['a', 'b'], 'a, b'],
  [true, 'on'],
  [false, 'off'],
  ['false', '“false”'],
  [7, '7'],
])('%j is said as %s', (value, said) => {
  expect(plainText(value)).toBe(said)
})
