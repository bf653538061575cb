import { expect, test } from 'vitest'
import { Deployment } from './deployment.ts'
import { hostedStores } from './hosted-stores.ts'
import { raceForDeliveries } from './single-delivery.ts'
import { makeSharedBundle } from './workload.ts'

const APPROVALS = 60
const WAITERS = 2
const EACH_ONCE = {
  approvals: APPROVALS,
  deliveredTimes: [0, APPROVALS],
  wrong: 0,
  approvedTimes: [0, APPROVALS],
}

test.concurrent('of racing waiters and approvers one each succeeds', async () => {
  await using deployment = await Deployment.start({ processes: 'all' })
  const bundle = await makeSharedBundle(deployment.address)
  const race = { addresses: [deployment.address], bundle, approvals: APPROVALS, waiters: WAITERS } as const
  expect(await raceForDeliveries(race)).toEqual(EACH_ONCE)
})

test.concurrent('of waiters and approvers racing over two nodes one each succeeds', async (context) => {
  await using stores = await hostedStores()
  context.skip(!stores)
  if (!stores) return
  await using one = await Deployment.start({ processes: 'separate', stores })
  await using other = await Deployment.start({ processes: 'separate', stores, rootKey: one.rootKey })
  const addresses = [one.address, other.address] as const
  const bundle = await makeSharedBundle(one.address)
  expect(await raceForDeliveries({ addresses, bundle, approvals: APPROVALS, waiters: WAITERS })).toEqual(
    EACH_ONCE,
  )
})
