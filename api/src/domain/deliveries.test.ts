import { randomRequestId } from '@keyferry/crypto/token'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteApprovalStore } from '../approval-store/sqlite.ts'
import type { ApprovalStore } from './approval-store.ts'
import { Deliveries } from './deliveries.ts'
import { unavailable } from './errors.ts'

const NOW = Date.parse('2026-01-31T12:00:00Z')
const source = { now: () => new Date(NOW), newId: randomRequestId, newToken: randomRequestId }

let approvals: ApprovalStore
beforeEach(() => {
  approvals = openSqliteApprovalStore({ path: ':memory:', now: () => NOW })
})
afterEach(() => approvals.close())

const claimed = async () => {
  const id = randomRequestId()
  const requesterMeta = { ip: '', user_agent: '', requested_at: '', format: 'sh' } as const
  await approvals.create(
    {
      id,
      publicKey: '',
      suggestedBundle: null,
      templateKeys: [],
      requesterMeta,
      pollChallenge: null,
      expiresAtMs: NOW + 1,
    },
    NOW,
  )
  await approvals.seal(id, { ciphertextBase64: 'c2VhbGVk', approverId: null }, NOW)
  await approvals.claim(id, NOW)
  return id
}

test('what was delivered is removed', async () => {
  const id = await claimed()
  const deliveries = new Deliveries(approvals, source)
  deliveries.of(id).delivered()
  await deliveries.settled()
  expect(await approvals.find(id, NOW)).toBeNull()
})

test('what was not delivered can be claimed again', async () => {
  const id = await claimed()
  const deliveries = new Deliveries(approvals, source)
  deliveries.of(id).broken()
  await deliveries.settled()
  expect((await approvals.claim(id, NOW)).status).toBe('claimed')
})

test('a store that is away for a moment costs no delivery', async () => {
  const id = await claimed()
  let refusals = 2
  const flaky: ApprovalStore = Object.assign(Object.create(approvals), {
    release: async (...args: Parameters<ApprovalStore['release']>) => {
      if (refusals-- > 0) throw unavailable('approval store')
      return approvals.release(...args)
    },
  })
  const deliveries = new Deliveries(flaky, source)
  deliveries.of(id).broken()
  await deliveries.settled()
  expect((await approvals.claim(id, NOW)).status).toBe('claimed')
})
