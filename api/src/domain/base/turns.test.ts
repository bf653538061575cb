import { expect, test } from 'vitest'
import { turn } from './turns.ts'

test('of several calls that wait, one goes on in each turn of the event loop', async () => {
  let loop = 0
  let isOver = false
  const count = (): void => {
    loop += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const wentOn: number[] = []
  const call = async () => {
    for (let part = 0; part < 3; part++) {
      await turn()
      wentOn.push(loop)
    }
  }
  await Promise.all([call(), call(), call(), call()])
  isOver = true
  expect(new Set(wentOn).size).toBe(12)
})
