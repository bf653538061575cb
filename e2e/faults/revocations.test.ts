import { expect, test } from 'vitest'
import { Deployment } from './deployment.ts'
import { hostedStores } from './hosted-stores.ts'
import { raceRevocations } from './revocations.ts'
import { makeSharedBundle } from './workload.ts'

// Each kind of revocation twice: once at each of two nodes.
const REVOCATIONS = 14

test('no delivery that begins after the answer to a revocation succeeds', async () => {
  await using deployment = await Deployment.start({ processes: 'all' })
  const bundle = await makeSharedBundle(deployment.address)
  const race = await raceRevocations({ addresses: [deployment.address], bundle, revocations: REVOCATIONS })
  expect([race.late, race.unclear]).toEqual([[], []])
  expect([race.delivered > 0, race.refused >= REVOCATIONS]).toEqual([true, true])
})

test('a revocation also counts at the other node', async (context) => {
  await using stores = await hostedStores()
  context.skip(!stores)
  if (!stores) return
  await using one = await Deployment.start({ processes: 'separate', stores })
  await using other = await Deployment.start({ processes: 'separate', stores, rootKey: one.rootKey })
  const addresses = [one.address, other.address] as const
  const bundle = await makeSharedBundle(one.address)
  const race = await raceRevocations({ addresses, bundle, revocations: REVOCATIONS })
  expect([race.late, race.unclear]).toEqual([[], []])
  expect([race.delivered > 0, race.refused >= REVOCATIONS]).toEqual([true, true])
})
