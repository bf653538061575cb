import type { RequestParts } from '../requests/request.ts'
import { removeApproverStep } from '../requests/request-steps.ts'
import { type EndParts, endApproval } from './ending.ts'

type Approver = { userId: string; tenantId: string | null }

/** Take away what this user approved and no client has claimed: in one tenant, or in all (null). A request that waits
 * for a second person waits for two again. */
export async function removeApprovalsOf(parts: RequestParts & EndParts, approver: Approver): Promise<void> {
  const ids = await parts.requests.ofApprover(approver.userId, parts.clock.now().getTime())
  await Promise.all(ids.map((id) => removeApproval(parts, id, approver)))
}

/** As `removeApprovalsOf`, of one request. The record of what was approved ends too, without the alarm of an approval
 * that never returned: nobody was lured. */
export async function removeApproval(
  parts: RequestParts & EndParts,
  requestId: string,
  approver: Approver,
): Promise<void> {
  const nowMs = parts.clock.now().getTime()
  const removed = await parts.requests.change(requestId, nowMs, (stored) =>
    removeApproverStep(stored, approver),
  )
  if (typeof removed === 'object' && removed !== null)
    await endApproval(parts, removed, { reason: 'removed', origin: null })
}
