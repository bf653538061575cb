import { randomRequestId } from '@keyferry/crypto/token'
import type { Approving } from '../src/domain/requests/request-steps.ts'
import type { ApprovalRequest } from '../src/domain/requests/stored-request.ts'

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
    together: false,
    waitsForOthers: false,
    expiresAtMs: Date.now() + 300_000,
    ...changes,
  }
}

/** The step of an approval that seals at once. */
export function sealing(changes: Partial<Approving> = {}): Approving {
  return { after: null, first: null, approved: null, ciphertextBase64: SEALED, hold: null, ...changes }
}
