import type { Endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { BundleParams } from './schemas/bundle.ts'
import { Change, WaitForRememberedChange } from './schemas/change.ts'
import * as grant from './schemas/grant.ts'
import * as policy from './schemas/policy.ts'
import { ReceiptKeys } from './schemas/receipt.ts'
import * as release from './schemas/release.ts'
import { CompanionList, RequestParams, VerifierHeaders } from './schemas/request.ts'
import { Ok } from './schemas/text.ts'

/** What an approval takes, how it returns to the terminal, and how it is remembered. */
export const consentEndpoints = {
  listCompanions: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/companions',
    access: 'session',
    summary:
      'Pending requests that the same terminal made in the same folder within seconds: the key of the terminal signed each',
    params: RequestParams,
    responses: { 200: CompanionList },
    errors: [404],
  },
  releaseRequest: {
    method: 'POST',
    path: '/api/v1/requests/{request_id}/release',
    access: 'public',
    summary:
      'Return an approval to the terminal: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    params: RequestParams,
    headers: VerifierHeaders,
    body: release.ReleaseRequest,
    maxBodyBytes: 4_096,
    responses: { 200: Ok },
    errors: [400, 404, 409, 429],
  },
  createReleaseCode: {
    method: 'POST',
    path: '/api/v1/requests/{request_id}/release-code',
    access: 'member',
    summary: 'A fresh code for an approval that did not reach the terminal: for the person who approved',
    params: RequestParams,
    responses: { 200: release.FreshCode },
    errors: [403, 404, 409],
  },
  getBundlePolicy: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}/policy',
    access: 'member',
    summary: "A bundle's rules for approvals, and where each comes from",
    params: BundleParams,
    responses: { 200: policy.BundlePolicy },
    errors: [404],
  },
  changeBundlePolicy: {
    method: 'PUT',
    path: '/api/v1/bundles/{bundle_id}/policy',
    access: 'owner',
    summary: "Change a bundle's rules for approvals; ends its remembered approvals",
    params: BundleParams,
    body: policy.ChangePolicy,
    responses: { 200: policy.BundlePolicy },
    errors: [400, 404],
  },
  getTenantPolicy: {
    method: 'GET',
    path: '/api/v1/tenants/current/policy',
    access: 'member',
    summary: "The workspace's rules for approvals",
    responses: { 200: policy.TenantPolicy },
  },
  changeTenantPolicy: {
    method: 'PUT',
    path: '/api/v1/tenants/current/policy',
    access: 'owner',
    summary: "Change the workspace's rules for approvals; ends all remembered approvals",
    body: policy.ChangePolicy,
    responses: { 200: policy.TenantPolicy },
    errors: [400],
  },
  listReceiptKeys: {
    method: 'GET',
    path: '/api/v1/receipt-keys',
    access: 'public',
    summary: 'The keys that sign receipts',
    responses: { 200: ReceiptKeys },
  },
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
    params: grant.GrantParams,
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
