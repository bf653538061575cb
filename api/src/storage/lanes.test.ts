import { expect, test } from 'vitest'
import { Lanes } from './lanes.ts'

test('of one name a few are under way at a time, in order, and another name waits for none of them', async () => {
  const lanes = new Lanes()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  const much = Array.from({ length: 7 }, (_, index) => lanes.run('much', work(`much ${index}`)))
  const little = lanes.run('little', work('little'))
  expect(begun).toEqual(['much 0', 'much 1', 'much 2', 'much 3', 'little'])
  ends[4]?.()
  expect(await little).toBe('little')
  ends[1]?.()
  await much[1]
  expect(begun.slice(5)).toEqual(['much 4'])
  for (let index = 0; index < begun.length; index++) {
    ends[index]?.()
    await Promise.resolve().then(() => Promise.resolve())
  }
  expect(await Promise.all(much)).toEqual(Array.from({ length: 7 }, (_, index) => `much ${index}`))
})

test('work that fails lets the next begin', async () => {
  const lanes = new Lanes()
  const fails = Array.from({ length: 4 }, () => lanes.run('a', () => Promise.reject(new Error('no'))))
  const next = lanes.run('a', () => Promise.resolve('yes'))
  expect((await Promise.allSettled(fails)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  expect(await next).toBe('yes')
})
