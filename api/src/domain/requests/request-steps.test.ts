import { expect, test } from 'vitest'
import { removeStep } from '../../../test/request-acts.ts'
import { sampleRequest, sealing } from '../../../test/sample-request.ts'
import type { Approved } from './approved.ts'
import * as steps from './request-steps.ts'
import type { Step } from './request-store.ts'
import { pendingRequest, type StoredRequest } from './stored-request.ts'

const T0 = 1_000_000
const LIMIT = 2

const approvedBy = (approverId: string, more = {}): Approved => ({
  kind: 'any',
  approverId,
  tenant: { id: 'tenant', name: 'Team' },
  ...more,
})
const sam = { userId: 'sam', tenantId: null }
const hold = { by: 'code', hash: 'right', untilMs: T0 + 50 } as const
const first = {
  approverId: 'sam',
  username: 'sam',
  tenantId: 'tenant',
  bundleId: 'bundle',
  bundleName: 'dev/app',
  keys: ['A'],
  at: '',
}
const vouch = {
  ...first,
  approverId: 'dev',
  id: 'v1',
  returned: null,
  deciders: { who: 'owner', count: 1 },
  isNewNetwork: true,
} as const
const dev = { userId: 'dev', tenantId: null }
const outside = { userId: 'eve', tenantId: 'elsewhere' }
const LONGER_MS = 1_000
const counts = { create: 0, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 }
const place = { id: 'bundle', name: 'dev/app' }
const receipt = { kid: '', payload: '', signature: '' }
const applied = {
  deposit: { id: 'd1', bundle: place, workspace: place, counts, approved_by: 'sam', receipt },
}

const approve =
  (changes: Partial<steps.Approving>): Step<unknown> =>
  (stored, nowMs) =>
    steps.approveStep(stored, sealing(changes), nowMs)
const release =
  (hash: string, afterMs = 0): Step<unknown> =>
  (stored, nowMs) =>
    steps.releaseStep(stored, { hash, limit: LIMIT, longerMs: LONGER_MS }, nowMs + afterMs)
const settle =
  (depositId: string, result: typeof applied | null): Step<unknown> =>
  (stored) =>
    steps.settleDepositStep(stored, { depositId, applied: result })

const byOne = { approved: approvedBy('sam') }
const bySecond = { after: 'sam', approved: approvedBy('kim') }
const byFirst = { first, ciphertextBase64: null }
const deposit = { approved: approvedBy('sam', { depositId: 'd1' }), ciphertextBase64: null }

/** Everything that can be done with a request, whatever its state. */
const ACTIONS: Record<string, Step<unknown>> = {
  approve: approve(byOne),
  'approve and hold': approve({ ...byOne, hold }),
  'approve with the vouch': (stored, nowMs) =>
    steps.approveStep(stored, sealing({ ...byOne, vouch: stored.vouch }), nowMs),
  'approve with a vouch that is gone': approve({ ...byOne, vouch: { ...vouch, id: 'v0' } }),
  'approve as the first with the vouch': (stored, nowMs) =>
    steps.approveStep(stored, sealing({ ...byFirst, vouch: stored.vouch, longerMs: LONGER_MS }), nowMs),
  vouch: (stored) => steps.vouchStep(stored, { vouch, hold }),
  'fresh code of the vouch': (stored) =>
    steps.renewCodeStep(stored, {
      approverId: 'dev',
      hash: 'right',
      untilMs: T0 + 90,
      limit: LIMIT,
      approved: stored.approved,
    }),
  'remove voucher': (stored) => steps.removeApproverStep(stored, dev),
  'remove voucher elsewhere': (stored) => steps.removeApproverStep(stored, { ...dev, tenantId: 'other' }),
  'deny from outside': (stored) => steps.denyStep(stored, { why: null, by: outside }),
  'approve without a sign-in': approve({}),
  'approve as the first': approve(byFirst),
  'approve as the first and hold': approve({ ...byFirst, hold }),
  'approve as the second': approve(bySecond),
  'approve as the second and hold': approve({ ...bySecond, hold }),
  'approve a deposit': approve(deposit),
  'approve a deposit and hold': approve({ ...deposit, hold }),
  release: release('right'),
  'release late': release('right', 50),
  'release wrongly': release('wrong'),
  'fresh code': (stored) =>
    steps.renewCodeStep(stored, {
      approverId: 'sam',
      hash: 'right',
      untilMs: T0 + 90,
      limit: LIMIT,
      approved: stored.approved,
    }),
  deny: (stored) =>
    steps.denyStep(stored, { why: 'owner_approves', by: { userId: 'sam', tenantId: 'tenant' } }),
  withdraw: steps.withdrawStep,
  'wrong check code': (stored) => steps.wrongCodeStep(stored, LIMIT),
  claim: (stored) => steps.claimStep(stored, 'mine'),
  unclaim: (stored) => steps.unclaimStep(stored, 'mine'),
  'unclaim late': (stored) => steps.unclaimStep(stored, 'earlier'),
  expire: (stored) => steps.expireStep(stored, { claimId: 'server', expiresAtMs: stored.expiresAtMs }),
  stored: settle('d1', applied),
  'not stored': settle('d1', null),
  'another is stored': settle('d2', applied),
  'remove approver': (stored) => steps.removeApproverStep(stored, sam),
  'remove approver elsewhere': (stored) => steps.removeApproverStep(stored, { ...sam, tenantId: 'other' }),
  remove: removeStep,
}

/** A request and its payload, as a store keeps them. `isBound`: its last approval had to return to the terminal; a vouch
 * is none. */
type Model = { stored: StoredRequest; payload: 'box' | 'sealed' | null; isBound: boolean }

/** One step as a store carries it out; null: removed. A step may run twice, and one that refuses writes nothing. */
function after({ stored, payload, isBound }: Model, step: Step<unknown>): Model | null {
  const before = JSON.stringify(stored)
  const change = step(stored, T0)
  const again = JSON.stringify(step(stored, T0))
  expect([JSON.stringify(stored), again]).toEqual([before, JSON.stringify(change)])
  if (change.next === undefined) {
    expect(change.payload).toBeUndefined()
    return { stored, payload, isBound }
  }
  if (change.next === 'removed') return null
  const next = { ...change.next, request: stored.request }
  const isApproval = next.approved !== stored.approved || next.first !== stored.first
  const kept = typeof change.payload === 'object' ? 'sealed' : payload
  return {
    stored: next,
    payload: change.payload === 'drop' ? null : kept,
    isBound: (next.status === 'held' && next.vouch?.returned !== null) || (isBound && !isApproval),
  }
}

const livesOf = ({ expiresAtMs }: { expiresAtMs: number }) => [
  expiresAtMs,
  T0 + LONGER_MS,
  T0 + 50 + LONGER_MS,
]

/** What holds in every state. */
function unsound({ stored, payload, isBound }: Model): string[] {
  const { request, status, held, returned, claimId, approved, first: before, vouch: given } = stored
  const isDeposit = request.deposit !== null
  const onItsWay = given !== null && given.returned === null
  const isEnded = status === 'denied' || status === 'withdrawn'
  const isGiven = status === 'ready' || status === 'claimed'
  const hasBox = isDeposit && !isEnded && !isGiven
  const isSealed = !isDeposit && (isGiven || (status === 'held' && approved !== null))
  const rules = {
    'a box until it is stored or ended': (payload === 'box') === hasBox,
    'a ciphertext from the approval to the end': (payload === 'sealed') === isSealed,
    'a hold while held': (held !== null) === (status === 'held'),
    'a vouch is on its way only while held, and nothing is approved then':
      !onItsWay || isEnded || (status === 'held' && approved === null),
    'a longer life once, for another person': livesOf(request).includes(stored.expiresAtMs),
    'a longer life only where the client knows it':
      request.waitsForOthers || stored.expiresAtMs === request.expiresAtMs,
    'a claim while claimed': (claimId !== null) === (status === 'claimed'),
    'a time to store while applying': (stored.applyUntilMs !== null) === (status === 'applying'),
    'an outcome once stored': (stored.applied !== null) === (isDeposit && isGiven),
    'a reason only of a denial': stored.whyDenied === null || status === 'denied',
    'no approval while pending': approved === null || status !== 'pending',
    'only deposits are applying': status !== 'applying' || (isDeposit && approved !== null),
    'bound: given only after its return':
      !isBound || returned !== null || !(isGiven || status === 'applying'),
    'a second person after the first': approved?.approverId !== 'kim' || before?.approverId === 'sam',
  }
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]))
}

/** Every state that any order of actions reaches from this request. */
function reachedFrom(start: Model): Model[] {
  const known = new Map([[JSON.stringify(start), start]])
  for (const model of known.values()) {
    for (const [action, step] of Object.entries(ACTIONS)) {
      const next = after(model, step)
      if (next === null) continue
      expect(unsound(next), `${model.stored.status}: ${action}`).toEqual([])
      known.set(JSON.stringify(next), next)
    }
  }
  return [...known.values()]
}

const asked = (changes: Parameters<typeof sampleRequest>[0] = {}) =>
  pendingRequest(sampleRequest({ expiresAtMs: T0 + 100, ...changes }))
const statuses = (states: Model[]) => [...new Set(states.map(({ stored }) => stored.status))].toSorted()

test('each action in each state of a delivery keeps what holds', () => {
  const states = reachedFrom({ stored: asked(), payload: null, isBound: false })
  expect(statuses(states)).toEqual(['claimed', 'denied', 'held', 'pending', 'ready', 'withdrawn'])
  expect(states.length).toBeGreaterThan(100)
})

test('each action in each state of a delivery whose client waits for others keeps what holds', () => {
  const states = reachedFrom({ stored: asked({ waitsForOthers: true }), payload: null, isBound: false })
  expect(states.some(({ stored }) => stored.expiresAtMs === T0 + LONGER_MS)).toBe(true)
})

test('a returned vouch keeps people of other workspaces from ending the request, and no approval without it keeps it', () => {
  const start = { stored: asked(), payload: null, isBound: false }
  const vouched = [ACTIONS['vouch'], ACTIONS['release']].reduce<Model>((model, step) => {
    const next = step && after(model, step)
    if (!next) throw new Error('removed')
    return next
  }, start)
  expect(vouched.stored).toMatchObject({ status: 'pending', vouch: { returned: 'code' } })
  const by = { why: null, by: outside }
  expect(steps.denyStep(vouched.stored, by)).toEqual({ answer: { refused: 'ready' } })
  expect(steps.denyStep(start.stored, by).next).toMatchObject({ status: 'denied' })
  const next = (seen: typeof vouched.stored.vouch) =>
    steps.approveStep(vouched.stored, sealing({ ...byOne, vouch: seen }), T0)
  expect(next(vouched.stored.vouch).next).toMatchObject({ status: 'ready', vouch: { id: 'v1' } })
  expect(next(null).next).toMatchObject({ vouch: null })
  expect(next({ ...vouch, id: 'v0' })).toEqual({ answer: 'changed' })
  const leaver = (tenantId: string) => steps.removeApproverStep(vouched.stored, { userId: 'dev', tenantId })
  expect(leaver('tenant').next).toMatchObject({ status: 'denied' })
  expect(leaver('elsewhere').next).toBeUndefined()
})

test('each action in each state of a deposit keeps what holds', () => {
  const stored = asked({ kind: 'deposit', deposit: { userCode: 'BCDF-GHJK' } })
  const states = reachedFrom({ stored, payload: 'box', isBound: false })
  expect(statuses(states)).toEqual(['applying', 'claimed', 'denied', 'held', 'pending', 'ready', 'withdrawn'])
  expect(states.length).toBeGreaterThan(20)
})

test.each([steps.withdrawStep, ACTIONS['deny'] ?? removeStep])(
  'a request that ended stays as it is, whatever is done to it',
  (end) => {
    const ended = after({ stored: asked(), payload: null, isBound: false }, end)
    if (ended === null) throw new Error('removed')
    for (const [action, step] of Object.entries(ACTIONS)) {
      if (action !== 'remove') expect(after(ended, step), action).toEqual(ended)
    }
  },
)
