import { DELETE, GET, POST } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import { Change, WaitForRememberedChange } from '../schemas/change.ts'
import * as grant from '../schemas/grant.ts'

/** Remembered approvals. */
export const grantEndpoints = {
  listGrants: GET('/api/v1/grants', 'member', {
    summary: "Remembered approvals of the workspace: the caller's own; owners see all",
    query: grant.ListGrantsQuery,
    answer: grant.GrantList,
  }),
  revokeGrant: DELETE('/api/v1/grants/{grant_id}', 'member', {
    touch: 'takes_away',
    summary: "Revoke a remembered approval (the caller's, or any for an owner)",
  }),
  revokeOwnGrants: DELETE('/api/v1/grants', 'session', {
    touch: 'takes_away',
    summary: "Revoke the caller's remembered approvals in all workspaces",
    answer: grant.EndedGrants,
  }),
  forgetDevice: POST('/api/v1/grants/forget', 'public', {
    summary: 'End the remembered approvals of a terminal, by a call that the terminal signs',
    body: grant.ForgetDevice,
    maxBodyBytes: LIMITS.requestBodyBytes,
    answer: grant.EndedGrants,
    errors: [429],
  }),
  waitForRememberedChange: POST('/api/v1/grants/wait', 'public', {
    summary:
      'Hold until a value of a delivery changes, at most 30 s: for a terminal with a remembered approval, which signs the call',
    body: WaitForRememberedChange,
    maxBodyBytes: LIMITS.requestBodyBytes,
    answer: Change,
    errors: [404, 429],
  }),
}
