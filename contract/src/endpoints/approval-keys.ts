import { DELETE, GET, POST } from '../endpoint.ts'
import * as key from '../schemas/approval-key.ts'

/** Keys that sign approvals in the current tenant. */
export const approvalKeyEndpoints = {
  listApprovalKeys: GET('/api/v1/approval-keys', 'member', {
    summary: "List the caller's signing keys; owners see those of everyone",
    answer: key.ApprovalKeyList,
  }),
  prepareApprovalKey: POST('/api/v1/approval-keys/prepare', 'member', {
    touch: 'gives_nothing',
    summary: 'What the browser needs to make a signing key',
    answer: key.ApprovalKeyOptions,
    errors: [409],
  }),
  addApprovalKey: POST('/api/v1/approval-keys', 'member', {
    touch: 'gives_nothing',
    summary: 'Add a signing key, which then waits for its confirmation',
    body: key.AddApprovalKey,
    created: key.ApprovalKey,
    errors: [409],
  }),
  confirmApprovalKey: POST('/api/v1/approval-keys/{key_id}/confirm', 'member', {
    touch: { by: 'approval_key', lasts: 'always' },
    summary: 'Confirm a signing key (an owner; or its person, with another of their keys)',
    body: key.ConfirmApprovalKey,
    answer: key.ApprovalKey,
  }),
  removeApprovalKey: DELETE('/api/v1/approval-keys/{key_id}', 'member', {
    touch: { by: 'approval_key', lasts: 'never' },
    summary: "Remove a signing key (the caller's, or any for an owner)",
  }),
  listLastingActs: GET('/api/v1/lasting-acts', 'owner', {
    summary: 'Signed acts that wait for another owner or a day',
    answer: key.LastingActList,
  }),
  endLastingAct: DELETE('/api/v1/lasting-acts/{act_id}', 'owner', {
    touch: 'takes_away',
    summary: 'Stop a signed act that waits',
  }),
}
