import type { ModuleEndpointName } from '@keyferry/contract'
import { accountHandlers } from './accounts.ts'
import { approvalKeyHandlers } from './approval-keys.ts'
import { auditHandlers } from './audit.ts'
import { bundleHandlers } from './bundles.ts'
import { deliveryHandlers } from './deliveries.ts'
import { depositHandlers } from './deposits.ts'
import { exportHandlers } from './exports.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { importHandlers } from './imports.ts'
import { keyHandlers } from './keys.ts'
import { legacyItemHandlers } from './legacy-items.ts'
import { machineHandlers } from './machines.ts'
import { requestHandlers } from './requests.ts'
import { serviceHandlers } from './service.ts'
import { tenantHandlers } from './tenants.ts'

/** Those of optional modules. */
export type ModuleHandlers = Pick<Handlers, ModuleEndpointName>

export function createHandlers(ofModules: ModuleHandlers, parts: HandlerParts): Handlers {
  return {
    ...serviceHandlers(parts),
    ...requestHandlers(parts),
    ...depositHandlers(parts),
    ...bundleHandlers(parts),
    ...exportHandlers(parts),
    ...importHandlers(parts),
    ...legacyItemHandlers(parts),
    ...keyHandlers(parts),
    ...deliveryHandlers(parts),
    ...accountHandlers(parts),
    ...approvalKeyHandlers(parts),
    ...tenantHandlers(parts),
    ...auditHandlers(parts),
    ...machineHandlers(parts),
    ...ofModules,
  }
}
