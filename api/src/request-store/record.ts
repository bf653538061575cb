import type { Change } from '../domain/requests/request-store.ts'
import { ApprovalRequest, RequestState, type StoredRequest } from '../domain/requests/stored-request.ts'

/** A request as both stores keep it: two JSON texts, of what never changes and of what does. */
export type Texts = { request: string; state: string }

export function storedOf({ request, state }: Texts): StoredRequest {
  return { ...RequestState.parse(JSON.parse(state)), request: ApprovalRequest.parse(JSON.parse(request)) }
}

/** The state without the request beside it. */
export function stateText(state: RequestState): string {
  return JSON.stringify(RequestState.parse(state))
}

/** What a request is listed by: the terminal that signed it, if it can be approved together with others, who approved
 * it or vouched for it, and the tenant in which it waits for another person. */
export function listedBy({ deviceKey, together }: ApprovalRequest, state: RequestState) {
  const { status, first, vouch, approved } = state
  const isOpen = status === 'pending' || (status === 'held' && approved === null)
  return {
    deviceKey: together ? deviceKey : null,
    approverId: approved?.approverId ?? null,
    firstApproverId: first?.approverId ?? null,
    voucherId: vouch?.approverId ?? null,
    waitsIn: isOpen ? ((vouch ?? first)?.tenantId ?? null) : null,
  }
}

/** @param payload what a step that reads it gets */
export function answerOf<Answer>(change: Change<Answer>, payload = ''): Answer {
  return change.payload === 'read' ? change.answer(payload) : change.answer
}
