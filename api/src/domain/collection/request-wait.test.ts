import { setImmediate as nextTurn } from 'node:timers/promises'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { randomRequestId } from '@keyferry/crypto/token'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RequestActs } from '../../../test/request-acts.ts'
import { actsOf, openRequests, requestPlace } from '../../../test/request-nodes.ts'
import { SEALED, sampleRequest, sealing } from '../../../test/sample-request.ts'
import type { RequestStore } from '../requests/request-store.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { WaitingRoom } from '../requests/waiting-room.ts'
import { type Wait, type WaitParts, waitForApproval } from './request-wait.ts'

const T0 = Date.parse('2026-01-31T12:00:00Z')

let opened: Awaited<ReturnType<typeof openRequests>>
let requests: RequestStore
let acts: RequestActs
let parts: WaitParts
let turns: string[]
beforeEach(async () => {
  opened = await openRequests(await requestPlace('sqlite'))
  vi.useFakeTimers({ now: T0, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  requests = opened.requests
  acts = actsOf(opened.requests)
  turns = []
  parts = {
    requests,
    room: new WaitingRoom(requests),
    clock: { now: () => new Date(), newId: randomRequestId, newToken: randomRequestId },
    takeTurn: async (id) => {
      turns.push(id)
    },
    stores: { deposits: { appliedSince: async () => null } },
  }
})
afterEach(async () => {
  vi.useRealTimers()
  await opened.database.close()
})

const created = async (changes: Partial<ApprovalRequest> = {}) => {
  const request = sampleRequest({ expiresAtMs: T0 + 300_000, ...changes })
  await acts.create(request, T0)
  return request.id
}
const wait = (requestId: string, changes: Partial<Wait> = {}) =>
  waitForApproval(parts, { requestId, verifier: undefined, onBreak: () => {}, ...changes })
const waiters = async (count: number) => {
  for (let turn = 0; turn < 100 && parts.room.size !== count; turn++) await nextTurn()
  expect(parts.room.size).toBe(count)
}
const notFound = { code: 'not_found', message: 'request not found or expired' }

test('a wait on an approved request is ready at once', async () => {
  const id = await created()
  await acts.approve(id, sealing(), T0)
  expect(await wait(id)).toMatchObject({ status: 'ready', ciphertextBase64: SEALED, approved: null })
})

test('a wait is woken by the approval', async () => {
  const id = await created()
  const waiting = wait(id)
  await waiters(1)
  await acts.approve(id, sealing(), T0)
  expect(await waiting).toMatchObject({ status: 'ready', ciphertextBase64: SEALED, approved: null })
  expect(parts.room.size).toBe(0)
})

test('a wait without an approval answers pending after 30 s, not before', async () => {
  const waiting = wait(await created())
  let answer: unknown
  void waiting.then((outcome) => (answer = outcome))
  await waiters(1)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(answer).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await nextTurn()
  expect(answer).toEqual({ status: 'pending' })
})

test('a request that expires while it is waited for answers request_expired at that moment', async () => {
  const waiting = wait(await created({ expiresAtMs: T0 + 2_000 }))
  const refused = expect(waiting).rejects.toMatchObject({ ...notFound, code: 'request_expired' })
  await waiters(1)
  await vi.advanceTimersByTimeAsync(2_010)
  await refused
})

test('a denial wakes the waiter with request_denied', async () => {
  const id = await created()
  const waiting = wait(id)
  const refused = expect(waiting).rejects.toMatchObject({ ...notFound, code: 'request_denied' })
  await waiters(1)
  await acts.deny(id, T0)
  await refused
})

test('of two waiters one gets it, and the other waits until it was delivered', async () => {
  const id = await created()
  const waits = [wait(id), wait(id)]
  await waiters(2)
  await acts.approve(id, sealing(), T0)
  expect(await Promise.race(waits)).toMatchObject({ status: 'ready' })
  await waiters(1)
  await acts.remove(id)
  const outcomes = await Promise.allSettled(waits)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('of two waiters the other gets it when the claim is released', async () => {
  const id = await created()
  const waits = [wait(id), wait(id)]
  await waiters(2)
  await acts.approve(id, sealing(), T0)
  const first = await Promise.race(waits)
  const claimId = first.status === 'ready' ? first.claimId : ''
  await waiters(1)
  await acts.unclaim(id, T0, claimId)
  const ready = { status: 'ready', ciphertextBase64: SEALED }
  expect(await Promise.all(waits)).toMatchObject([ready, ready])
})

test('an approval that waits for its return begins no new count of polls', async () => {
  const id = await created()
  const waits = [wait(id)]
  await waiters(1)
  const hold = { by: 'loopback', hash: 'right', untilMs: T0 + 10_000 } as const
  expect(await acts.approve(id, sealing({ hold }), T0)).toBe('done')
  waits.push(wait(id))
  await waiters(2)
  expect(turns).toEqual([id, id])
  await acts.deny(id, T0)
  expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a broken connection ends its wait and claims nothing', async () => {
  const id = await created()
  const broken = Promise.withResolvers<void>()
  const waiting = wait(id, { onBreak: (listener) => void broken.promise.then(listener) })
  await waiters(1)
  broken.resolve()
  expect(await waiting).toEqual({ status: 'pending' })
  expect(parts.room.size).toBe(0)
  await acts.approve(id, sealing(), T0)
  expect((await acts.claim(id, T0)).status).toBe('claimed')
})

test('when the process stops every waiter is answered pending at once, and each that comes later', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, () => created()))
  const waits = ids.map((id) => wait(id))
  await waiters(100)
  parts.room.close()
  expect(new Set((await Promise.all(waits)).map(({ status }) => status))).toEqual(new Set(['pending']))
  expect(await wait(await created())).toEqual({ status: 'pending' })
})

test.each([
  ['another verifier', () => generatePollVerifier()],
  ['a malformed verifier', () => 'x'],
  ['no verifier', () => undefined],
])('with %s a request answers as an unknown one does, and takes no turn', async (_, other) => {
  const verifier = generatePollVerifier()
  const id = await created({ pollChallenge: pollChallenge(verifier) })
  await acts.approve(id, sealing(), T0)
  await expect(wait(id, { verifier: other() })).rejects.toMatchObject(notFound)
  expect(turns).toEqual([])
  expect(await wait(id, { verifier })).toMatchObject({ status: 'ready' })
})

test('only a caller with the verifier learns that the request was denied', async () => {
  const verifier = generatePollVerifier()
  const id = await created({ pollChallenge: pollChallenge(verifier) })
  await acts.deny(id, T0)
  await expect(wait(id)).rejects.toMatchObject(notFound)
  await expect(wait(id, { verifier })).rejects.toMatchObject({ code: 'request_denied' })
})

test.each([
  ['unknown', 'f'.repeat(32)],
  ['malformed', '../x'],
  ['empty', ''],
])('an %s id takes no turn and answers 404', async (_, id) => {
  await expect(wait(id)).rejects.toMatchObject(notFound)
  expect(turns).toEqual([])
})
