import { randomRequestId } from '@keyferry/crypto/token'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Faults, faulty } from '../../../test/faulty-requests.ts'
import type { RequestActs } from '../../../test/request-acts.ts'
import { actsOf, openRequests, requestPlace } from '../../../test/request-nodes.ts'
import { sampleRequest, sealing } from '../../../test/sample-request.ts'
import { Deliveries } from './request-deliveries.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const clock = { now: () => new Date(NOW), newId: randomRequestId, newToken: randomRequestId }

let opened: Awaited<ReturnType<typeof openRequests>>
let acts: RequestActs
beforeEach(async () => {
  opened = await openRequests(await requestPlace('sqlite'))
  acts = actsOf(opened.requests)
})
afterEach(() => opened.database.close())

const claimed = async () => {
  const id = randomRequestId()
  await acts.create(sampleRequest({ id, expiresAtMs: NOW + 1 }), NOW)
  await acts.approve(id, sealing(), NOW)
  await acts.claim(id, NOW, 'mine')
  return { requestId: id, claimId: 'mine' }
}

test('what was delivered is removed', async () => {
  const claim = await claimed()
  const deliveries = new Deliveries({ ...opened, clock })
  deliveries.of(claim).delivered()
  await deliveries.settled()
  expect(await acts.find(claim.requestId, NOW)).toBeNull()
})

test('what was not delivered can be claimed again', async () => {
  const claim = await claimed()
  const deliveries = new Deliveries({ ...opened, clock })
  deliveries.of(claim).broken()
  await deliveries.settled()
  expect((await acts.claim(claim.requestId, NOW)).status).toBe('claimed')
})

test('a store that is unavailable for a moment loses no delivery', async () => {
  const claim = await claimed()
  const faults = new Faults()
  faults.next('before', 2)
  const deliveries = new Deliveries({ ...faulty(faults)(opened), clock })
  deliveries.of(claim).broken()
  await deliveries.settled()
  expect((await acts.claim(claim.requestId, NOW)).status).toBe('claimed')
})

test('a claim that is given back late does not reopen a later claim', async () => {
  const { requestId, claimId } = await claimed()
  const faults = new Faults()
  faults.next('after', 1)
  const deliveries = new Deliveries({ ...faulty(faults)(opened), clock })
  deliveries.of({ requestId, claimId }).broken()
  await expect.poll(async () => (await acts.claim(requestId, NOW, 'later')).status).toBe('claimed')
  await deliveries.settled()
  expect((await acts.claim(requestId, NOW, 'third')).status).toBe('taken')
})
