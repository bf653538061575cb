import { randomRequestId } from '@keyferry/crypto/token'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sampleRequest, sealing } from '../../test/sample-request.ts'
import { openSqliteRequestStore } from '../request-store/sqlite.ts'
import { unavailable } from './errors.ts'
import { Deliveries } from './request-deliveries.ts'
import type { RequestStore } from './request-store.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const clock = { now: () => new Date(NOW), newId: randomRequestId, newToken: randomRequestId }

let requests: RequestStore
beforeEach(() => {
  requests = openSqliteRequestStore({ path: ':memory:', now: () => NOW })
})
afterEach(() => requests.close())

const claimed = async () => {
  const id = randomRequestId()
  await requests.create(sampleRequest({ id, expiresAtMs: NOW + 1 }), NOW)
  await requests.approve(id, sealing({ ciphertextBase64: 'c2VhbGVk', approval: null }), NOW)
  await requests.claim(id, NOW)
  return id
}

test('what was delivered is removed', async () => {
  const id = await claimed()
  const deliveries = new Deliveries(requests, clock)
  deliveries.of(id).delivered()
  await deliveries.settled()
  expect(await requests.find(id, NOW)).toBeNull()
})

test('what was not delivered can be claimed again', async () => {
  const id = await claimed()
  const deliveries = new Deliveries(requests, clock)
  deliveries.of(id).broken()
  await deliveries.settled()
  expect((await requests.claim(id, NOW)).status).toBe('claimed')
})

test('a store that is unavailable for a moment loses no delivery', async () => {
  const id = await claimed()
  let refusals = 2
  const flaky: RequestStore = Object.assign(Object.create(requests), {
    unclaim: async (...args: Parameters<RequestStore['unclaim']>) => {
      if (refusals-- > 0) throw unavailable('request store')
      return requests.unclaim(...args)
    },
  })
  const deliveries = new Deliveries(flaky, clock)
  deliveries.of(id).broken()
  await deliveries.settled()
  expect((await requests.claim(id, NOW)).status).toBe('claimed')
})
