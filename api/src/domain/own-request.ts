import { verifierMatches } from '@keyferry/crypto/poll-challenge'
import { findLive, requestEnded, requestNotFound } from './approval-request.ts'
import type { ApprovalRequest, ApprovalStore } from './approval-store.ts'
import type { Source } from './source.ts'

/** A request and what the client sent as proof that it is its own. */
export type Claimant = { requestId: string; verifier: string | undefined }

/** The caller's own request. One that was made without a challenge is everybody's own. A wrong verifier answers as an
 * unknown id does, and is told apart before anything of the request is used up or told.
 * @throws DomainError not_found · request_denied · request_withdrawn */
export async function findOwn(
  parts: { approvals: ApprovalStore; source: Source },
  { requestId, verifier = '' }: Claimant,
): Promise<ApprovalRequest> {
  const { request, status } = await findLive(parts, requestId)
  const { pollChallenge } = request
  if (pollChallenge !== null && !verifierMatches(pollChallenge, verifier)) throw requestNotFound()
  if (status === 'denied' || status === 'withdrawn') throw requestEnded(status)
  return request
}
