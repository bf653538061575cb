import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import type { RequestChange } from '../../domain/requests/request-store.ts'
import {
  ApprovalRequest,
  approvalOf,
  RequestState,
  type StoredRequest,
} from '../../domain/requests/stored-request.ts'

/** A request as its row has it: two JSON texts, of what never changes and of what does. */
export type Texts = { id: string; request: string; state: string }

/** Reads rows. The last requests are not parsed again: what a request asks for never changes. */
export function parsedRequests(): (texts: Texts) => StoredRequest {
  const known = new BoundedMap<string, ApprovalRequest>(KNOWN)
  return ({ id, request: text, state }) => {
    const request = known.get(id) ?? ApprovalRequest.parse(JSON.parse(text))
    known.set(id, request)
    return { ...RequestState.parse(JSON.parse(state)), request }
  }
}

const KNOWN = 500

/** The state without the request beside it. */
export function stateText(state: RequestState): string {
  return JSON.stringify(RequestState.parse(state))
}

/** What a request is listed by: its terminal, who approved it or vouched for it, and the tenant where it waits. */
export function listedBy({ deviceKey }: ApprovalRequest, state: RequestState) {
  const { status, first, vouch } = state
  const approval = approvalOf(state)
  const isUndecided = status !== 'ended' && approval === null
  const people = [approval?.approved?.approverId, first?.userId, vouch?.userId]
  return {
    deviceKey,
    approvers: status === 'ended' ? '' : spaced(people.filter((id) => id !== undefined)),
    waitsIn: isUndecided ? ((vouch ?? first)?.tenantId ?? null) : null,
  }
}

/** Ids in one text, each between two spaces. */
export function spaced(ids: readonly string[]): string {
  return ids.length === 0 ? '' : ` ${ids.join(' ')} `
}

/** @param payload what a step that reads it gets */
export function answerOf<Answer>(change: RequestChange<Answer>, payload = ''): Answer {
  return change.payload === 'read' ? change.answer(payload) : change.answer
}
