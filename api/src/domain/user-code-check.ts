import { ATTEMPTS } from '@keyferry/contract'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import { type Grounds, mustTypeCode } from './approval-rules.ts'
import type { Choice } from './approval-step.ts'
import { DomainError } from './errors.ts'
import { changeRequest, type RequestParts, userCodeOf } from './request.ts'
import { wrongCodeStep } from './request-steps.ts'
import type { ApprovalRequest } from './stored-request.ts'

/** Check the typed code. One that is given is checked even where none is required: an approver who types it expects it to
 * count.
 * @throws DomainError invalid (a wrong or missing code) */
export async function requireUserCode(
  parts: RequestParts,
  { policy, request }: Pick<Grounds, 'policy' | 'request'>,
  choice: Pick<Choice, 'user_code' | 'release'>,
): Promise<void> {
  const typed = choice.user_code ?? ''
  if (typed === '') {
    if (!mustTypeCode(policy, choice)) return
    throw new DomainError('invalid', 'user_code required', { details: { field: 'user_code' } })
  }
  if (normalizeUserCode(typed) !== userCodeOf(request)) throw await wrongCode(parts, request)
}

async function wrongCode(parts: RequestParts, { id }: ApprovalRequest): Promise<DomainError> {
  const left = await changeRequest(parts, id, (stored) => wrongCodeStep(stored, ATTEMPTS.wrongUserCodes))
  const details = { field: 'user_code', attempts_left: typeof left === 'number' ? left : 0 }
  return new DomainError('invalid', 'user_code does not match', { details })
}
