import { expect, test } from 'vitest'
import { removeStep, stateOf } from '../../../test/request-acts.ts'
import {
  type Deciding,
  decidingStep,
  sampleRequest,
  sampleSupport,
  sampleVouch,
  sealing,
} from '../../../test/sample-request.ts'
import { DomainError } from '../base/errors.ts'
import type { Approved } from './approved.ts'
import * as steps from './request-steps.ts'
import type { RequestChange, RequestStep } from './request-store.ts'
import { approvalOf, newRequestState, type RequestState, type StoredRequest } from './stored-request.ts'

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
const first = sampleSupport()
const vouch = sampleVouch({ userId: 'dev', id: 'v1' })
const dev = { userId: 'dev', tenantId: null }
const outside = { userId: 'eve', tenantId: 'elsewhere' }
const LONGER_MS = 1_000
const counts = { create: 0, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 }
const place = { id: 'bundle', name: 'dev/app' }
const receipt = { kid: '', payload: '', signature: '' }
const applied = {
  deposit: { id: 'd1', bundle: place, workspace: place, counts, approved_by: 'sam', receipt },
}

const approve = (changes: Partial<Deciding>): RequestStep<unknown> => decidingStep(sealing(changes))
const asSeen =
  (changes: Partial<Deciding>): RequestStep<unknown> =>
  (stored, nowMs) =>
    approve({ ...changes, vouch: stored.vouch })(stored, nowMs)
const giveBack =
  (hash: string, afterMs = 0): RequestStep<unknown> =>
  (stored, nowMs) => {
    const attempt = { hash, limit: LIMIT, longerMs: LONGER_MS, keepUntilMs: null }
    return steps.returnStep(stored, attempt, nowMs + afterMs)
  }
const freshCode: RequestStep<unknown> = (stored) =>
  steps.renewCodeStep(stored, {
    replaces: 'right',
    hash: 'right',
    untilMs: T0 + 90,
    limit: LIMIT,
    approved: approvalOf(stored)?.approved ?? null,
  })

const byOne = { approved: approvedBy('sam') }
const bySecond = { after: 'sam', approved: approvedBy('kim') }
const byFirst = { first, ciphertextBase64: null }
const deposit = { approved: approvedBy('sam', { depositId: 'd1' }), ciphertextBase64: null }

/** Everything that can be done with a request, whatever its state. */
const ACTIONS: Record<string, RequestStep<unknown>> = {
  approve: approve(byOne),
  'approve and hold': approve({ ...byOne, hold }),
  'approve with the vouch': asSeen(byOne),
  'approve with a vouch that is gone': approve({ ...byOne, vouch: { ...vouch, id: 'v0' } }),
  'approve as the first with the vouch': asSeen({ ...byFirst, longerMs: LONGER_MS }),
  vouch: (stored, nowMs) => {
    const seen = { first: null, vouch: null }
    const vouching = { seen, gives: { as: 'vouch', support: vouch }, hold, longerMs: LONGER_MS } as const
    return steps.supportStep(stored, vouching, nowMs)
  },
  'remove voucher': (stored) => steps.leaveStep(stored, dev),
  'remove voucher elsewhere': (stored) => steps.leaveStep(stored, { ...dev, tenantId: 'other' }),
  'deny from outside': (stored) => steps.denyStep(stored, { why: null, by: outside }),
  'approve without a sign-in': approve({}),
  'approve as the first': approve(byFirst),
  'approve as the first and hold': approve({ ...byFirst, hold }),
  'approve as the second': approve(bySecond),
  'approve as the second and hold': approve({ ...bySecond, hold }),
  'approve a deposit': approve(deposit),
  'approve a deposit and hold': approve({ ...deposit, hold }),
  release: giveBack('right'),
  'release late': giveBack('right', 50),
  'release wrongly': giveBack('wrong'),
  'fresh code': freshCode,
  deny: (stored) =>
    steps.denyStep(stored, { why: 'owner_approves', by: { userId: 'sam', tenantId: 'tenant' } }),
  withdraw: steps.withdrawStep,
  'wrong check code': (stored) => steps.wrongCodeStep(stored, LIMIT),
  claim: (stored) => steps.claimStep(stored, 'mine'),
  unclaim: (stored) => steps.unclaimStep(stored, 'mine'),
  'unclaim late': (stored) => steps.unclaimStep(stored, 'earlier'),
  stored: (stored) => steps.appliedStep(stored, applied),
  'not stored': (stored) => steps.refuseStep(stored, 'right'),
  'remove approver': (stored) => steps.leaveStep(stored, sam),
  'remove approver elsewhere': (stored) => steps.leaveStep(stored, { ...sam, tenantId: 'other' }),
  remove: removeStep,
}

/** A request and its payload, as a store keeps them. `isBound`: its last approval had to return to the terminal; a
 * vouch is none. */
type Model = { stored: StoredRequest; payload: 'box' | 'sealed' | null; isBound: boolean }

const approvedOf = (state: RequestState) => approvalOf(state)?.approved

// A step that refuses throws.
function changeBy(stored: StoredRequest, step: RequestStep<unknown>): RequestChange<unknown> {
  try {
    return step(stored, T0)
  } catch (error) {
    if (error instanceof DomainError) return { answer: error.code }
    throw error
  }
}

/** One step as a store carries it out; null: removed. A step may run twice, and one that refuses writes nothing. */
function after({ stored, payload, isBound }: Model, step: RequestStep<unknown>): Model | null {
  const before = JSON.stringify(stored)
  const change = changeBy(stored, step)
  const again = JSON.stringify(changeBy(stored, step))
  expect([JSON.stringify(stored), again]).toEqual([before, JSON.stringify(change)])
  if (change.next === undefined) {
    expect(change.payload).toBeUndefined()
    return { stored, payload, isBound }
  }
  if (change.next === 'removed') return null
  const next = { ...change.next, request: stored.request }
  const isApproval = approvedOf(next) !== approvedOf(stored) || next.first?.userId !== stored.first?.userId
  const kept = typeof change.payload === 'object' ? 'sealed' : payload
  return {
    stored: next,
    payload: change.payload === 'drop' ? null : kept,
    isBound: (next.status === 'held' && next.held.support !== 'vouch') || (isBound && !isApproval),
  }
}

const livesOf = ({ expiresAtMs }: { expiresAtMs: number }) => [
  expiresAtMs,
  T0 + LONGER_MS,
  T0 + 50 + LONGER_MS,
]

/** What is true in every state. */
function unsound({ stored, payload, isBound }: Model): string[] {
  const { request, status, first: before, vouch: given } = stored
  const approval = approvalOf(stored)
  const isDeposit = request.deposit !== null
  const isGiven = status === 'given'
  const isStored = isGiven && approval?.applied !== null
  const onItsWay = given !== null && given.returned === null
  const hasBox = isDeposit && status !== 'ended' && !isStored
  const isSealed = !isDeposit && approval !== null
  const returned = (approval ?? before)?.returned ?? null
  const rules = {
    'a box until it is stored or ended': (payload === 'box') === hasBox,
    'a ciphertext from the approval to the end': (payload === 'sealed') === isSealed,
    'a vouch is on its way only while it is held':
      !onItsWay || status === 'ended' || (status === 'held' && stored.held.support === 'vouch'),
    'what is held is there':
      status !== 'held' || (stored.held.support === null ? approval : stored[stored.held.support]) !== null,
    'a longer life once, for another person': livesOf(request).includes(stored.expiresAtMs),
    'a longer life only where the client knows it':
      request.waitsForOthers || stored.expiresAtMs === request.expiresAtMs,
    'an outcome only of a deposit': approval === null || approval.applied === null || isDeposit,
    'a reason only of a denial': status !== 'ended' || stored.why === null || stored.as === 'denied',
    'bound: given only after its return': !isBound || !isGiven || returned !== null,
    'a second person after the first': approval?.approved?.approverId !== 'kim' || before?.userId === 'sam',
  }
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]))
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
  newRequestState(sampleRequest({ expiresAtMs: T0 + 100, ...changes }))
const statuses = (states: Model[]) => [...new Set(states.map(({ stored }) => stateOf(stored)))].toSorted()

test('each action in each state of a delivery keeps what is true', () => {
  const states = reachedFrom({ stored: asked(), payload: null, isBound: false })
  expect(statuses(states)).toEqual(['claimed', 'denied', 'given', 'held', 'open', 'withdrawn'])
  expect(states.length).toBeGreaterThan(100)
})

test('each action in each state of a delivery whose client waits for others keeps what is true', () => {
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
  expect(vouched.stored).toMatchObject({ status: 'open', vouch: { returned: 'code' } })
  const by = { why: null, by: outside }
  expect(() => steps.denyStep(vouched.stored, by)).toThrow('people of another workspace decide')
  expect(steps.denyStep(start.stored, by).next).toMatchObject({ as: 'denied' })
  const next = (seen: typeof vouched.stored.vouch) => approve({ ...byOne, vouch: seen })(vouched.stored, T0)
  expect(next(vouched.stored.vouch).next).toMatchObject({ status: 'given', vouch: { id: 'v1' } })
  expect(next(null).next).toMatchObject({ vouch: null })
  expect(() => next({ ...vouch, id: 'v0' })).toThrow('Another person changed this request')
  const leaver = (tenantId: string) => steps.leaveStep(vouched.stored, { userId: 'dev', tenantId })
  expect(leaver('tenant').next).toMatchObject({ as: 'denied' })
  expect(leaver('elsewhere').next).toBeUndefined()
})

test('each action in each state of a deposit keeps what is true', () => {
  const stored = asked({ kind: 'deposit', deposit: { userCode: 'BCDF-GHJK' } })
  const states = reachedFrom({ stored, payload: 'box', isBound: false })
  expect(statuses(states)).toEqual(['claimed', 'denied', 'given', 'held', 'open', 'withdrawn'])
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

const refusal = (step: () => unknown): unknown => {
  try {
    return step()
  } catch (error) {
    return error instanceof DomainError ? error.code : error
  }
}

/** A request whose approval is held until `T0 + 50`. */
function heldRequest(changes: { wrongCodes?: number; freshCodes?: number } = {}): StoredRequest {
  const { next } = decidingStep(sealing({ ...byOne, hold }))(asked(), T0)
  if (next === undefined || next === 'removed' || next.status !== 'held') throw new Error('not held')
  const { request } = asked()
  return { ...next, request, held: { ...next.held, ...changes } }
}

const returnedAfter = (afterMs: number) => refusal(() => giveBack('right', afterMs)(heldRequest(), T0))
const wrongReturn = (wrongCodes: number) => giveBack('wrong')(heldRequest({ wrongCodes }), T0)
const wrongCheck = (wrongCodes: number) => steps.wrongCodeStep({ ...asked(), wrongCodes }, LIMIT)
const freshAfter = (freshCodes: number) => refusal(() => freshCode(heldRequest({ freshCodes }), T0))

test('an approval returns until a moment before its end, and not at its end', () => {
  expect(returnedAfter(49)).toMatchObject({ answer: { status: 'returned' } })
  expect(returnedAfter(50)).toBe('release_expired')
  expect(returnedAfter(51)).toBe('release_expired')
})

test('the wrong code that reaches the limit denies the request, and no earlier one', () => {
  const earlier = { answer: { status: 'wrong', attemptsLeft: 1 }, next: { status: 'held' } }
  expect(wrongReturn(LIMIT - 2)).toMatchObject(earlier)
  const last = { answer: { status: 'wrong', attemptsLeft: 0 }, next: { status: 'ended', as: 'denied' } }
  expect(wrongReturn(LIMIT - 1)).toMatchObject(last)
})

test('the wrong check code that reaches the limit denies the request, and no earlier one', () => {
  expect(wrongCheck(LIMIT - 2)).toMatchObject({ answer: 1, next: { status: 'open' } })
  expect(wrongCheck(LIMIT - 1)).toMatchObject({ answer: 0, next: { status: 'ended', as: 'denied' } })
})

test('a held request gets as many fresh codes as the limit says, and no more', () => {
  expect(freshAfter(LIMIT - 1)).toMatchObject({ next: { held: { freshCodes: LIMIT, wrongCodes: 0 } } })
  expect(freshAfter(LIMIT)).toBe('conflict')
})
