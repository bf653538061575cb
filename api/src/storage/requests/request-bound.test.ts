import { expect, test } from 'vitest'
import { RequestBound } from './request-bound.ts'

const add = async () => 'added'

const T0 = Date.parse('2026-01-31T12:00:00Z')

test('however many calls a full store refuses, its rows are counted once a second', async () => {
  let counts = 0
  const count = async () => {
    counts++
    return { live: 10, bytes: 0 }
  }
  const bound = new RequestBound({ maxLive: 10, maxBytes: 1, count })
  const refused = await Promise.all(Array.from({ length: 1_000 }, () => bound.adding(0, T0, add)))
  for (let call = 0; call < 1_000; call++) refused.push(await bound.adding(0, T0 + 900, add))
  expect(new Set(refused)).toEqual(new Set([null]))
  expect(counts).toBe(1)
  bound.note(-1, 0)
  expect(await bound.adding(0, T0 + 900, add)).toBe('added')
  expect(await bound.adding(0, T0 + 900, add)).toBeNull()
  expect(counts).toBe(1)
})

test('a slow count rests longer: counting takes at most a fiftieth of the time', async () => {
  let counts = 0
  const count = async () => {
    counts++
    const until = performance.now() + 40
    while (performance.now() < until);
    return { live: 0, bytes: 0 }
  }
  const bound = new RequestBound({ maxLive: 10, maxBytes: 1, count })
  await bound.adding(0, T0, add)
  await bound.adding(0, T0 + 1_500, add)
  expect(counts).toBe(1)
})

test('what could not be added takes no room, and what is being added is not counted away', async () => {
  const bound = new RequestBound({ maxLive: 1, maxBytes: 100, count: async () => ({ live: 0, bytes: 0 }) })
  await expect(bound.adding(100, T0, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  const { promise, resolve } = Promise.withResolvers<string>()
  const adding = bound.adding(100, T0, () => promise)
  // Its row is not committed yet, so this count does not see it.
  expect(await bound.adding(0, T0 + 100_000, async () => 'one more')).toBeNull()
  resolve('added')
  expect(await adding).toBe('added')
})
