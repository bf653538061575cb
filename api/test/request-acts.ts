import * as steps from '../src/domain/requests/request-steps.ts'
import type { RequestStore, Step } from '../src/domain/requests/request-store.ts'
import type { AppliedDeposit } from '../src/domain/requests/stored-deposit.ts'
import { type ApprovalRequest, pendingRequest } from '../src/domain/requests/stored-request.ts'

const CLAIM = 'claim'
const ANYBODY = { userId: 'someone', tenantId: 'tenant' }

type Denying = Parameters<typeof steps.denyStep>[1]

/** The client has its values. */
export const removeStep: Step<void> = () => ({ answer: undefined, next: 'removed' })

export type RequestActs = ReturnType<typeof actsOn>

/** What people, clients and the server do with the requests of a store, one short call each. A missing request is
 * `gone`. */
export function actsOn(store: RequestStore) {
  const change = async <Answer>(id: string, nowMs: number, step: Step<Answer>) => {
    const answer = await store.change(id, nowMs, step)
    return answer === 'expired' || answer === 'unknown' ? ('gone' as const) : answer
  }
  const ending = async (id: string, nowMs: number, step: Step<steps.Ending>) => {
    const end = await change(id, nowMs, step)
    if (end === 'gone') return end
    return 'before' in end ? 'done' : end.refused
  }
  return {
    store,
    create: async (request: ApprovalRequest, nowMs: number, box: string | null = null) =>
      (await store.insert(pendingRequest(request), box, nowMs)) === 'done',
    async find(id: string, nowMs: number) {
      const stored = await store.read(id, nowMs)
      return typeof stored === 'string' ? null : stored
    },
    hasExpired: async (id: string, nowMs: number) => (await store.read(id, nowMs)) === 'expired',
    box: (id: string, nowMs: number) => store.box(id, nowMs),
    approve: (id: string, approving: steps.Approving, nowMs: number) =>
      change(id, nowMs, (stored, now) => steps.approveStep(stored, approving, now)),
    vouch: (id: string, vouching: Parameters<typeof steps.vouchStep>[1], nowMs: number) =>
      change(id, nowMs, (stored) => steps.vouchStep(stored, vouching)),
    async release(id: string, attempt: Parameters<typeof steps.releaseStep>[1], nowMs: number) {
      const released = await change(id, nowMs, (stored, now) => steps.releaseStep(stored, attempt, now))
      return released === 'gone' ? { status: released } : released
    },
    renewCode: async (id: string, code: steps.FreshCode, nowMs: number) =>
      (await change(id, nowMs, (stored) => steps.renewCodeStep(stored, code))) === true,
    deny: (id: string, nowMs: number, { why = null, by = ANYBODY }: Partial<Denying> = {}) =>
      ending(id, nowMs, (stored) => steps.denyStep(stored, { why, by })),
    withdraw: (id: string, nowMs: number) => ending(id, nowMs, steps.withdrawStep),
    async countWrongCode(id: string, limit: number, nowMs: number) {
      const left = await change(id, nowMs, (stored) => steps.wrongCodeStep(stored, limit))
      return left === 'gone' ? 0 : left
    },
    async claim(id: string, nowMs: number, claimId = CLAIM) {
      const claim = await change(id, nowMs, (stored) => steps.claimStep(stored, claimId))
      if (claim === 'gone') return { status: claim }
      if (claim.status !== 'claimed') return { status: claim.status }
      const { status, ciphertextBase64, approved, applied } = claim
      return { status, ciphertextBase64, approved, ...(applied ? { applied } : {}) }
    },
    unclaim: (id: string, nowMs: number, claimId = CLAIM) =>
      change(id, nowMs, (stored) => steps.unclaimStep(stored, claimId)),
    remove: (id: string, nowMs: number) => change(id, nowMs, removeStep),
    settleDeposit: async (
      id: string,
      outcome: { depositId: string; applied: AppliedDeposit | null },
      nowMs: number,
    ) => (await change(id, nowMs, (stored) => steps.settleDepositStep(stored, outcome))) === true,
    removeApprovedBy: async (approver: { userId: string; tenantId: string | null }, nowMs: number) => {
      const ids = await store.ofApprover(approver.userId, nowMs)
      await Promise.all(
        ids.map((id) => change(id, nowMs, (stored) => steps.removeApproverStep(stored, approver))),
      )
    },
    watch: (id: string, listener: () => void) => store.watch(id, listener),
    close: () => store.close(),
  }
}
