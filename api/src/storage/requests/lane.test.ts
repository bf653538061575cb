import { expect, test } from 'vitest'
import { Lane } from './lane.ts'

test('at most two run at once, in their order, and what fails makes room', async () => {
  const lane = new Lane({ atOnce: 2, mostWaiting: 10 })
  const [begun, ends]: [number[], (() => void)[]] = [[], []]
  let most = 0
  let running = 0
  const all = [0, 1, 2, 3, 4].map((number) =>
    lane.run(async () => {
      begun.push(number)
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running--
      if (number === 1) throw new Error('one failed')
    }),
  )
  for (let ended = 0; ended < 5; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended)
    ends[ended]?.()
  }
  const outcomes = await Promise.allSettled(all)
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2])
})

test('a lane in which too many wait refuses, so that the caller can try again', async () => {
  const lane = new Lane({ atOnce: 1, mostWaiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = lane.run(() => promise)
  const second = lane.run(async () => 'second')
  await expect(lane.run(async () => 'third')).rejects.toMatchObject({ code: 'unavailable' })
  resolve()
  await first
  expect(await second).toBe('second')
})
