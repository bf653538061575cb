import {
  bundlePolicy,
  changeBundlePolicy,
  changeTenantPolicy,
  tenantPolicy,
} from '../domain/approvals/set-policy.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function policyHandlers({ requestParts: parts }: HandlerParts) {
  return {
    getBundlePolicy: ({ caller, params }) => bundlePolicy(parts, caller, params.bundle_id),
    changeBundlePolicy: ({ caller, params, body: change }) =>
      changeBundlePolicy(parts, caller, { bundleId: params.bundle_id, change }),
    getTenantPolicy: ({ caller }) => tenantPolicy(parts, caller),
    changeTenantPolicy: ({ caller, body }) => changeTenantPolicy(parts, caller, body),
  } satisfies Partial<Handlers>
}
