import type { Endpoint } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import { Change, WaitForRememberedChange } from '../schemas/change.ts'
import * as grant from '../schemas/grant.ts'
import { Ok } from '../schemas/text.ts'

/** Remembered approvals. */
export const grantEndpoints = {
  listGrants: {
    method: 'GET',
    path: '/api/v1/grants',
    access: 'member',
    summary: "Remembered approvals of the workspace: the caller's own; owners see all",
    query: grant.ListGrantsQuery,
    responses: { 200: grant.GrantList },
    errors: [400],
  },
  revokeGrant: {
    method: 'DELETE',
    path: '/api/v1/grants/{grant_id}',
    access: 'member',
    summary: 'Revoke a remembered approval (own, or any for an owner)',
    responses: { 200: Ok },
    errors: [404],
  },
  revokeOwnGrants: {
    method: 'DELETE',
    path: '/api/v1/grants',
    access: 'session',
    summary: "Revoke the caller's remembered approvals in all workspaces",
    responses: { 200: grant.EndedGrants },
    errors: [400],
  },
  forgetDevice: {
    method: 'POST',
    path: '/api/v1/grants/forget',
    access: 'public',
    summary: 'End the remembered approvals of a terminal, by a call that the terminal signs',
    body: grant.ForgetDevice,
    maxBodyBytes: LIMITS.requestBodyBytes,
    responses: { 200: grant.EndedGrants },
    errors: [400, 429],
  },
  waitForRememberedChange: {
    method: 'POST',
    path: '/api/v1/grants/wait',
    access: 'public',
    summary:
      'Hold until a value of a delivery changes, at most 30 s: for a terminal with a remembered approval, which signs the call',
    body: WaitForRememberedChange,
    maxBodyBytes: LIMITS.requestBodyBytes,
    responses: { 200: Change },
    errors: [400, 404, 429],
  },
} as const satisfies Record<string, Endpoint>
