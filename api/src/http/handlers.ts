import { accountHandlers } from './accounts.ts'
import { attachmentHandlers } from './attachments.ts'
import { auditHandlers } from './audit.ts'
import { bundleHandlers } from './bundles.ts'
import { deliveryHandlers } from './deliveries.ts'
import { depositHandlers } from './deposits.ts'
import { exportHandlers } from './exports.ts'
import { grantHandlers } from './grants.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { importHandlers, libraryMoveHandlers } from './imports.ts'
import { invitationHandlers } from './invitations.ts'
import { keyVersionHandlers } from './key-versions.ts'
import { keyHandlers } from './keys.ts'
import { legacyItemHandlers } from './legacy-items.ts'
import { machineDeliveryHandlers } from './machine-deliveries.ts'
import { machineTrustHandlers } from './machine-trusts.ts'
import { machineHandlers, machineTokenHandlers } from './machines.ts'
import { memberHandlers } from './members.ts'
import { passkeyHandlers } from './passkeys.ts'
import { policyHandlers } from './policies.ts'
import { receiptHandlers } from './receipts.ts'
import { requestHandlers } from './requests.ts'
import { serviceHandlers } from './service.ts'
import { tenantHandlers } from './tenants.ts'
import { userHandlers } from './users.ts'
import { waitingHandlers } from './waiting.ts'
import { webhookHandlers } from './webhooks.ts'

/** The handler of every endpoint. */
export function createHandlers(parts: HandlerParts): Handlers {
  return {
    ...serviceHandlers(parts),
    ...requestHandlers(parts.requestParts),
    ...receiptHandlers(parts),
    ...depositHandlers(parts),
    ...waitingHandlers(parts),
    ...grantHandlers(parts),
    ...policyHandlers(parts),
    ...bundleHandlers(parts),
    ...attachmentHandlers(parts),
    ...exportHandlers(parts),
    ...importHandlers(parts),
    ...libraryMoveHandlers(parts),
    ...legacyItemHandlers(parts),
    ...keyHandlers(parts),
    ...keyVersionHandlers(parts),
    ...deliveryHandlers(parts),
    ...userHandlers(parts),
    ...accountHandlers(parts),
    ...passkeyHandlers(parts),
    ...tenantHandlers(parts),
    ...memberHandlers(parts),
    ...invitationHandlers(parts),
    ...auditHandlers(parts),
    ...machineHandlers(parts),
    ...machineTokenHandlers(parts),
    ...machineTrustHandlers(parts),
    ...machineDeliveryHandlers(parts),
    ...webhookHandlers(parts),
  }
}
