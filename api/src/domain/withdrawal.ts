import { requestEnded, requestNotFound } from './approval-request.ts'
import type { ApprovalStore } from './approval-store.ts'
import { type Claimant, findOwn } from './own-request.ts'
import type { Source } from './source.ts'

/** Withdraw: the client takes its request back, pending or approved, and nobody can approve or fetch it any more.
 * Whoever asks for it afterwards learns so, until its lifetime would have ended. Without a challenge nobody can prove a
 * request to be theirs, so that it answers as an unknown one.
 * @throws DomainError not_found · request_denied · request_withdrawn (already) */
export async function withdrawRequest(
  { approvals, source }: { approvals: ApprovalStore; source: Source },
  claimant: Claimant,
): Promise<void> {
  const { id, pollChallenge } = await findOwn({ approvals, source }, claimant)
  if (pollChallenge === null) throw requestNotFound()
  const settled = await approvals.withdraw(id, source.now().getTime())
  if (settled === 'denied' || settled === 'withdrawn') throw requestEnded(settled)
  if (settled !== 'done') throw requestNotFound()
}
