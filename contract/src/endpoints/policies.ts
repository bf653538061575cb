import type { Endpoint } from '../endpoint.ts'
import * as policy from '../schemas/policy.ts'

/** Rules for approvals, of a bundle and of the workspace. */
export const policyEndpoints = {
  getBundlePolicy: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}/policy',
    access: 'member',
    summary: "A bundle's rules for approvals, and where each comes from",
    responses: { 200: policy.BundlePolicy },
    errors: [404],
  },
  changeBundlePolicy: {
    method: 'PUT',
    path: '/api/v1/bundles/{bundle_id}/policy',
    access: 'owner',
    summary: "Change a bundle's rules for approvals; ends its remembered approvals",
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
} as const satisfies Record<string, Endpoint>
