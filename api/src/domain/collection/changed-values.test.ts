import { LIMITS } from '@keyferry/contract'
import { expect, test } from 'vitest'
import { DomainError } from '../base/errors.ts'
import { Watchers } from './changed-values.ts'

test('callers that one change wakes share one comparison; a later change begins another', async () => {
  const watchers = new Watchers()
  let compared = 0
  const compare = (id: string) =>
    watchers.compare(id, async () => {
      compared += 1
      return true
    })
  const wake = () => Promise.all(Array.from({ length: 100 }, () => compare('same')))
  expect((await wake()).every(Boolean)).toBe(true)
  expect(compared).toBe(1)
  await wake()
  expect(compared).toBe(2)
  await Promise.all([compare('one'), compare('another')])
  expect(compared).toBe(4)
})

test('a comparison that has begun to read is not shared', async () => {
  const watchers = new Watchers()
  const reading = Promise.withResolvers<void>()
  const end = Promise.withResolvers<boolean>()
  const first = watchers.compare('same', () => {
    reading.resolve()
    return end.promise
  })
  await reading.promise
  expect(await watchers.compare('same', async () => true)).toBe(true)
  end.resolve(false)
  expect(await first).toBe(false)
})

test('the waits of one workspace are bounded together', () => {
  const watchers = new Watchers()
  const enter = (watcher: number, tenantId = 'one') => watchers.enter({ watcher: `m${watcher}`, tenantId })
  const leave = Array.from({ length: LIMITS.workspaceWatches }, (_, index) => enter(index))
  expect(() => enter(0)).toThrow(DomainError)
  enter(0, 'another')
  leave[0]?.()
  enter(1)
})
