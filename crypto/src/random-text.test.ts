import { expect, test } from 'vitest'
import { randomText } from './random-text.ts'

test('it has the requested length, and no two are equal', () => {
  expect(randomText(32)).toMatch(/^[A-Za-z0-9]{32}$/)
  expect(randomText(0)).toBe('')
  expect(new Set(Array.from({ length: 100 }, () => randomText(16))).size).toBe(100)
})

test('every letter is about equally frequent', () => {
  const counts = Map.groupBy(randomText(62_000), (letter) => letter)
  expect(counts.size).toBe(62)
  for (const letters of counts.values()) expect(Math.abs(letters.length - 1_000)).toBeLessThan(250)
})
