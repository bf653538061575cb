import {
  bundlePolicy,
  changeBundlePolicy,
  changeTenantPolicy,
  tenantPolicy,
} from '../domain/approvals/policy.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type PolicyHandlers = Pick<
  Handlers,
  'getBundlePolicy' | 'changeBundlePolicy' | 'getTenantPolicy' | 'changeTenantPolicy'
>

export function policyHandlers({ requestParts: parts }: HandlerParts): PolicyHandlers {
  return {
    async getBundlePolicy({ caller, params }) {
      return { status: 200, body: await bundlePolicy(parts, caller, params.bundle_id) }
    },
    async changeBundlePolicy({ caller, params, body }) {
      const change = { bundleId: params.bundle_id, change: body }
      return { status: 200, body: await changeBundlePolicy(parts, caller, change) }
    },
    async getTenantPolicy({ caller }) {
      return { status: 200, body: await tenantPolicy(parts, caller) }
    },
    async changeTenantPolicy({ caller, body }) {
      return { status: 200, body: await changeTenantPolicy(parts, caller, body) }
    },
  }
}
