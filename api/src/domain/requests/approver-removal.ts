import type { RequestParts } from './request.ts'
import { removeApproverStep } from './request-steps.ts'

/** Take away what this user approved and no client has claimed: in one tenant, or in all (null). A request that waits
 * for a second person waits for two again. */
export async function removeApprovalsOf(
  { requests, clock }: RequestParts,
  approver: { userId: string; tenantId: string | null },
): Promise<void> {
  const nowMs = clock.now().getTime()
  const ids = await requests.ofApprover(approver.userId, nowMs)
  await Promise.all(
    ids.map((id) => requests.change(id, nowMs, (stored) => removeApproverStep(stored, approver))),
  )
}
