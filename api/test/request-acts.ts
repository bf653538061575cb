import type { JoinedRequests } from '../src/domain/approvals/together.ts'
import { DomainError } from '../src/domain/base/errors.ts'
import * as steps from '../src/domain/requests/request-steps.ts'
import type { RequestStep, RequestStore } from '../src/domain/requests/request-store.ts'
import type { AppliedDeposit } from '../src/domain/requests/stored-deposit.ts'
import {
  type ApprovalRequest,
  approvalOf,
  type Hold,
  newRequestState,
  type StoredRequest,
  type Vouch,
} from '../src/domain/requests/stored-request.ts'
import { type Deciding, decidingStep } from './sample-request.ts'

const CLAIM = 'claim'
const ANYBODY = { userId: 'someone', tenantId: 'tenant' }

type Denying = Parameters<typeof steps.denyStep>[1]

/** The client has its values. */
export const removeStep: RequestStep<void> = () => ({ answer: undefined, next: 'removed' })

export type RequestActs = ReturnType<typeof actsOn>

const CODES: Readonly<Record<string, string>> = {
  not_found: 'gone',
  request_expired: 'gone',
  request_denied: 'denied',
  request_withdrawn: 'withdrawn',
  release_expired: 'late',
}

/** Why an act was refused, in one word. */
function refusalOf(error: unknown): string {
  if (!(error instanceof DomainError)) throw error
  if (error.code === 'unavailable') throw error
  const known = CODES[error.code]
  if (known !== undefined) return known
  if (error.message.includes('already approved')) return 'given'
  if (error.message.includes('does not wait for its return')) return 'not_held'
  return error.message.includes('changed this request') ? 'changed' : error.code
}

const idsOf = (found: readonly StoredRequest[]) => found.map(({ request }) => request.id)

/** The state of a request in one word. */
export function stateOf(stored: StoredRequest): string {
  if (stored.status === 'ended') return stored.as
  return steps.isClaimed(stored) ? 'claimed' : stored.status
}

/** What people, clients and the server do with the requests of a store, one short call each.
 * @param joined does some work with the requests in one transaction */
export function actsOn(
  store: RequestStore,
  joined: (work: (requests: JoinedRequests) => Promise<void>) => Promise<void>,
) {
  const change = async <Answer>(id: string, nowMs: number, step: RequestStep<Answer>) =>
    await store.change(id, nowMs, step)
  const done = async (id: string, nowMs: number, step: RequestStep<unknown>): Promise<string> => {
    try {
      await change(id, nowMs, step)
      return 'done'
    } catch (error) {
      return refusalOf(error)
    }
  }
  return {
    store,
    create: async (request: ApprovalRequest, nowMs: number, box: string | null = null) =>
      (await store.insert(newRequestState(request), box, nowMs)) !== null,
    async find(id: string, nowMs: number) {
      const stored = await store.read(id, nowMs)
      if (typeof stored === 'string') return null
      return { ...stored, status: stateOf(stored), approval: approvalOf(stored) }
    },
    hasExpired: async (id: string, nowMs: number) => (await store.read(id, nowMs)) === 'expired',
    box: (id: string, nowMs: number) => store.box(id, nowMs),
    approve: (id: string, deciding: Deciding, nowMs: number) => done(id, nowMs, decidingStep(deciding)),
    vouch: (id: string, { vouch, hold }: { vouch: Vouch; hold: Hold }, nowMs: number) => {
      const seen = { first: null, vouch: null }
      const supporting = { seen, gives: { as: 'vouch', support: vouch }, hold, longerMs: 0 } as const
      return done(id, nowMs, (stored, now) => steps.supportStep(stored, supporting, now))
    },
    async release(
      id: string,
      attempt: { hash: string; limit: number; longerMs?: number; keepUntilMs?: number },
      nowMs: number,
    ): Promise<{ status: string; attemptsLeft?: number }> {
      const all = { longerMs: 0, keepUntilMs: null, ...attempt }
      try {
        return await change(id, nowMs, (stored, now) => steps.returnStep(stored, all, now))
      } catch (error) {
        return { status: refusalOf(error) }
      }
    },
    renewCode: async (id: string, code: steps.FreshCode, nowMs: number) =>
      (await done(id, nowMs, (stored) => steps.renewCodeStep(stored, code))) === 'done',
    deny: (id: string, nowMs: number, { why = null, by = ANYBODY }: Partial<Denying> = {}) =>
      done(id, nowMs, (stored) => steps.denyStep(stored, { why, by })),
    withdraw: (id: string, nowMs: number) => done(id, nowMs, steps.withdrawStep),
    async countWrongCode(id: string, limit: number, nowMs: number) {
      try {
        return await change(id, nowMs, (stored) => steps.wrongCodeStep(stored, limit))
      } catch (error) {
        if (refusalOf(error) === 'gone') return 0
        throw error
      }
    },
    async claim(id: string, nowMs: number, claimId = CLAIM) {
      try {
        const claim = await change(id, nowMs, (stored) => steps.claimStep(stored, claimId))
        if (claim.status !== 'claimed') return { status: claim.status }
        const { status, ciphertextBase64, approved, applied } = claim
        return { status, ciphertextBase64, approved, ...(applied ? { applied } : {}) }
      } catch (error) {
        return { status: refusalOf(error) }
      }
    },
    unclaim: (id: string, nowMs: number, claimId = CLAIM) =>
      done(id, nowMs, (stored) => steps.unclaimStep(stored, claimId)),
    remove: (id: string) => joined((requests) => requests.remove(id)),
    apply: (id: string, applied: AppliedDeposit, nowMs: number) =>
      done(id, nowMs, (stored) => steps.appliedStep(stored, applied)),
    refuse: (id: string, hash: string, nowMs: number) =>
      done(id, nowMs, (stored) => steps.refuseStep(stored, hash)),
    removeApprovedBy: (approver: { userId: string; tenantId: string | null }, nowMs: number) =>
      joined(async (requests) => {
        for (const { request } of await requests.ofApprover(approver.userId, nowMs))
          await requests.change(request.id, nowMs, (stored) => steps.leaveStep(stored, approver))
      }),
    ofDevice: async (deviceKey: string, nowMs: number) => idsOf(await store.ofDevice(deviceKey, nowMs)),
    waitingIn: async (tenantId: string, nowMs: number) => idsOf(await store.waitingIn(tenantId, nowMs)),
    watch: (id: string, listener: () => void) => store.watch(id, listener),
  }
}
