import { GET, PUT } from '../endpoint.ts'
import * as policy from '../schemas/policy.ts'

/** Rules for approvals, of a bundle and of the workspace. */
export const policyEndpoints = {
  getBundlePolicy: GET('/api/v1/bundles/{bundle_id}/policy', 'member', {
    summary: "A bundle's rules for approvals, and where each comes from",
    answer: policy.BundlePolicy,
  }),
  changeBundlePolicy: PUT('/api/v1/bundles/{bundle_id}/policy', 'owner', {
    touch: { by: 'bundle', lasts: 'effect' },
    summary:
      "Change a bundle's rules for approvals, and whether it is for production; ends its remembered approvals",
    body: policy.ChangeBundlePolicy,
    answer: policy.BundlePolicy,
  }),
  getTenantPolicy: GET('/api/v1/tenants/current/policy', 'member', {
    summary: "The workspace's rules for approvals, and those of its folders and bundles",
    query: policy.PolicyQuery,
    answer: policy.TenantPolicy,
  }),
  changeTenantPolicy: PUT('/api/v1/tenants/current/policy', 'owner', {
    touch: { by: 'workspace', lasts: 'effect' },
    summary: 'Change the rules of the workspace, or of a folder of bundles; ends remembered approvals there',
    body: policy.ChangeTenantPolicy,
    answer: policy.TenantPolicy,
  }),
}
