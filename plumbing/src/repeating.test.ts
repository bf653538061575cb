import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FailingSteps } from './failing-steps.ts'
import { repeating } from './repeating.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work runs at each interval and on request, one run at a time, until it is stopped', async () => {
  const ends: PromiseWithResolvers<void>[] = []
  const failures: unknown[] = []
  const work = () => {
    ends.push(Promise.withResolvers())
    return ends.at(-1)?.promise ?? Promise.resolve()
  }
  const steps = repeating(1_000, work, (error) => void failures.push(error))
  await vi.advanceTimersByTimeAsync(999)
  expect(ends).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(ends).toHaveLength(1)
  steps.start()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ends).toHaveLength(1)
  ends[0]?.reject('broken')
  await vi.advanceTimersByTimeAsync(0)
  expect(failures).toEqual(['broken'])
  steps.start()
  expect(ends).toHaveLength(2)
  const stopped = vi.fn()
  const stopping = steps.stop().then(stopped)
  await vi.advanceTimersByTimeAsync(5_000)
  expect([stopped.mock.calls.length, ends.length]).toEqual([0, 2])
  ends[1]?.resolve()
  await stopping
  expect(stopped).toHaveBeenCalledOnce()
})

test('a step is failing after a run that throws, until a run succeeds', async () => {
  const steps = new FailingSteps()
  let isBroken = true
  const step = steps.watched('mail', async () => {
    if (isBroken) throw new Error('no mail')
  })
  steps.note('webhooks', true)
  await expect(step()).rejects.toThrow('no mail')
  expect(steps.names).toEqual(['webhooks', 'mail'])
  isBroken = false
  await step()
  steps.note('other', false)
  expect(steps.names).toEqual(['webhooks'])
})
