import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleRequest, sealing } from '../../../test/sample-request.ts'
import type { Approved } from './approved.ts'
import * as steps from './request-steps.ts'
import type { Step } from './request-store.ts'
import { pendingRequest, type StoredRequest } from './stored-request.ts'

const T0 = 1_000_000

const approved: Approved = {
  kind: 'names',
  approverId: 'sam',
  tenant: { id: 'tenant', name: 'Team' },
  target: { kind: 'bundle', id: 'bundle', name: 'dev/app' },
  assurance: 'bound',
}
const hold = { by: 'code', hash: 'right', untilMs: T0 + 50 } as const
const code = { approverId: 'sam', hash: 'right', untilMs: T0 + 90, limit: 2, approved }
const release =
  (hash: string): Step<unknown> =>
  (stored, nowMs) =>
    steps.releaseStep(stored, { hash, limit: 2 }, nowMs)

const ACTIONS: Record<string, Step<unknown>> = {
  approve: (stored, nowMs) => steps.approveStep(stored, sealing({ approved }), nowMs),
  hold: (stored, nowMs) => steps.approveStep(stored, sealing({ approved, hold }), nowMs),
  release: release('right'),
  'wrong release': release('wrong'),
  'fresh code': (stored) => steps.renewCodeStep(stored, code),
  deny: (stored) => steps.denyStep(stored, null),
  withdraw: steps.withdrawStep,
  'wrong code': (stored) => steps.wrongCodeStep(stored, 2),
  claim: (stored) => steps.claimStep(stored, 'mine'),
  unclaim: (stored) => steps.unclaimStep(stored, 'mine'),
  'late unclaim': (stored) => steps.unclaimStep(stored, 'earlier'),
  expire: (stored) => steps.expireStep(stored, 'server'),
  'remove approver': (stored) => steps.removeApproverStep(stored, { userId: 'sam', tenantId: null }),
}

type Model = { stored: StoredRequest; payload: string | null; wasHeld: boolean }

/** One step as a store carries it out; null: removed. */
function after({ stored, payload, wasHeld }: Model, step: Step<unknown>): Model | null {
  const before = structuredClone(stored)
  const change = step(stored, T0)
  expect(stored).toEqual(before)
  expect(step(stored, T0).next).toEqual(change.next)
  if (change.next === undefined) return { stored, payload, wasHeld }
  if (change.next === 'removed') return null
  const kept = typeof change.payload === 'object' ? change.payload.put : payload
  const next = { ...change.next, request: stored.request }
  const isHeld = wasHeld || next.status === 'held'
  return { stored: next, payload: change.payload === 'drop' ? null : kept, wasHeld: isHeld }
}

test('whatever happens, an ended request has no payload, and a bound one is ready only after its return', () => {
  const names = fc.array(fc.constantFrom(...Object.keys(ACTIONS)), { maxLength: 12 })
  fc.assert(
    fc.property(names, (actions) => {
      const stored = pendingRequest(sampleRequest({ expiresAtMs: T0 + 100 }))
      let model: Model | null = { stored, payload: null, wasHeld: false }
      for (const action of actions) {
        const step = ACTIONS[action]
        if (model === null || step === undefined) return
        model = after(model, step)
        if (model === null) return
        const { status, held, returned, claimId } = model.stored
        const isSealed = status === 'held' || status === 'ready' || status === 'claimed'
        expect(model.payload !== null, status).toBe(isSealed)
        expect(held !== null).toBe(status === 'held')
        expect(claimId !== null).toBe(status === 'claimed')
        if (model.wasHeld && (status === 'ready' || status === 'claimed')) expect(returned).toBe('code')
      }
    }),
    { numRuns: 2_000 },
  )
})
