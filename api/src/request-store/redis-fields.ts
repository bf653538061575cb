import { RELEASES, WhyNotCode } from '@keyferry/contract'
import { z } from 'zod'
import { APPLY_MS, type DepositStep, type Step } from '../domain/request-store.ts'
import { DepositApproval } from '../domain/stored-deposit.ts'
import {
  ApprovalRequest,
  FirstApproval,
  type Held,
  type StoredRequest,
  sealingIn,
  sealingText,
} from '../domain/stored-request.ts'

const State = z.enum(['pending', 'held', 'applying', 'ready', 'claimed', 'denied', 'withdrawn'])
const Field = z.string().nullable()
const FoundReply = z.union([
  z.tuple([State, z.string(), Field, Field, Field, Field, Field, Field, Field, Field]),
  z.tuple([]),
])

/** What the script FIND tells; null for a request that is not there. */
export function storedRequest(reply: unknown): StoredRequest | null {
  const found = FoundReply.parse(reply)
  if (found.length === 0) return null
  const [state, request, approval, approverId, first, by, untilMs, returned, deposit, why] = found
  return {
    request: ApprovalRequest.parse(JSON.parse(request)),
    status: state === 'claimed' || state === 'applying' ? 'ready' : state,
    first: first ? FirstApproval.parse(JSON.parse(first)) : null,
    held: state === 'held' ? heldOf(by, { untilMs: Number(untilMs), approverId: approverId ?? '' }) : null,
    returned: asWay(returned),
    ...sealingIn(approval),
    deposit: deposit ? DepositApproval.parse(JSON.parse(deposit)) : null,
    applyingUntilMs: state === 'applying' ? Number(untilMs) : null,
    whyDenied: WhyNotCode.nullable().parse(why || null),
  }
}

/** The fields that the approval of a deposit sets, each name before its value. */
export function depositFields({ approval, hold }: DepositStep, nowMs: number): string[] {
  const fields = {
    deposit: JSON.stringify(approval),
    approver_id: approval.approver.id,
    release_hash: hold?.hash ?? '',
    release_by: hold?.by ?? '',
    release_until_ms: String(hold?.untilMs ?? nowMs + APPLY_MS),
  }
  return Object.entries(fields).flat()
}

/** The fields that an approval sets, each name before its value. */
export function approvalFields({ first, sealed, hold, by }: Step): string[] {
  const fields = {
    ciphertext: sealed?.ciphertextBase64 ?? '',
    approval: (sealed && sealingText(sealed)) ?? '',
    approver_id: by?.approverId ?? '',
    tenant_id: by?.tenantId ?? '',
    release_hash: hold?.hash ?? '',
    release_by: hold?.by ?? '',
    release_until_ms: hold ? String(hold.untilMs) : '',
    ...(first === null ? {} : { first: JSON.stringify(first), first_approver_id: first.approverId }),
  }
  return Object.entries(fields).flat()
}

function heldOf(by: string | null, rest: Omit<Held, 'by'>): Held | null {
  const way = asWay(by)
  return way && { by: way, ...rest }
}

function asWay(text: string | null): Held['by'] | null {
  return RELEASES.find((way) => way === text) ?? null
}
