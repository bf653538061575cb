import { expect, test } from 'vitest'
import { Deployment } from './deployment.ts'
import { besetBySlowClients } from './slow-clients.ts'

test('idle connections, slow headers and slow bodies do not keep others from an answer', async () => {
  await using deployment = await Deployment.start({ processes: 'all' })
  const slow = { idle: 1_000, dripping: 100, calls: 400 }
  const { answers, stillOpen } = await besetBySlowClients(deployment.address, slow)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(stillOpen).toBeGreaterThan(1_000)
})
