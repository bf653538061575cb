import { randomRequestId } from '@keyferry/crypto/token'
import { type ApprovalStep, approveStep, supportStep } from '../src/domain/requests/request-steps.ts'
import type { RequestStep } from '../src/domain/requests/request-store.ts'
import type { ApprovalRequest, Support, Vouch } from '../src/domain/requests/stored-request.ts'

export const SEALED = 'c2VhbGVk'

/** A request as a plain client makes it. */
export function sampleRequest(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: randomRequestId(),
    kind: 'delivery',
    publicKey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
    suggestedBundle: null,
    suggestedWorkspace: null,
    templateKeys: [],
    requesterMeta: { ip: '', user_agent: '', requested_at: '', format: 'sh' },
    pollChallenge: null,
    release: [],
    argv: null,
    argvMasked: null,
    cwd: null,
    deviceKey: null,
    use: null,
    deposit: null,
    waitsForOthers: false,
    expiresAtMs: Date.now() + 300_000,
    ...changes,
  }
}

/** An approval, or a first one. `after`: who approved first, as the approver saw it. */
export type Deciding = Omit<ApprovalStep, 'seen'> & {
  after: string | null
  vouch: Vouch | null
  first: Support | null
  longerMs: number
}

/** An approval that seals at once. */
export function sealing(changes: Partial<Deciding> = {}): Deciding {
  const nothing = { after: null, vouch: null, first: null, approved: null, hold: null, longerMs: 0 }
  return { ...nothing, ciphertextBase64: SEALED, ...changes }
}

export function decidingStep({ after, vouch, first, longerMs, ...approving }: Deciding): RequestStep<void> {
  const seen = { first: after, vouch }
  if (first === null) return (stored) => approveStep(stored, { ...approving, seen })
  const supporting = { seen, gives: { as: 'first', support: first }, hold: approving.hold, longerMs } as const
  return (stored, nowMs) => supportStep(stored, supporting, nowMs)
}

/** A first approval, or a vouch without its own fields. */
export function sampleSupport(changes: Partial<Support> = {}): Support {
  const place = { tenantId: 'tenant', bundleId: 'bundle', bundleName: 'dev/app', keys: ['A'] }
  return { id: 's1', userId: 'sam', username: 'sam', ...place, at: '', returned: null, ...changes }
}

export function sampleVouch(changes: Partial<Support> = {}): Vouch {
  return { ...sampleSupport(changes), deciders: { who: 'owner', count: 1 }, isNewNetwork: true }
}
