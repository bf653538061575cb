import { approvalKeyEndpoints } from './endpoints/approval-keys.ts'
import { attachmentEndpoints } from './endpoints/attachments.ts'
import { auditEndpoints } from './endpoints/audit.ts'
import { bundleEndpoints } from './endpoints/bundles.ts'
import { deliveryEndpoints } from './endpoints/deliveries.ts'
import { grantEndpoints } from './endpoints/grants.ts'
import { importEndpoints } from './endpoints/imports.ts'
import { keyEndpoints } from './endpoints/keys.ts'
import { legacyItemEndpoints } from './endpoints/legacy-items.ts'
import { memberEndpoints } from './endpoints/members.ts'
import { policyEndpoints } from './endpoints/policies.ts'
import { requestEndpoints } from './endpoints/requests.ts'
import { serviceEndpoints } from './endpoints/service.ts'
import { sessionEndpoints } from './endpoints/sessions.ts'
import { signInEndpoints } from './endpoints/sign-in.ts'
import { tenantEndpoints } from './endpoints/tenants.ts'
import { userEndpoints } from './endpoints/users.ts'
import { joined } from './joined.ts'
import * as modules from './modules.ts'

const moduleEndpoints = joined(modules, 'endpoints')

/** The rows that the internal API answers, in the order of the API page. */
export const apiEndpoints = {
  ...serviceEndpoints,
  ...requestEndpoints,
  ...grantEndpoints,
  ...policyEndpoints,
  ...bundleEndpoints,
  ...attachmentEndpoints,
  ...importEndpoints,
  ...legacyItemEndpoints,
  ...keyEndpoints,
  ...deliveryEndpoints,
  ...userEndpoints,
  ...approvalKeyEndpoints,
  ...tenantEndpoints,
  ...memberEndpoints,
  ...auditEndpoints,
  ...moduleEndpoints,
} as const

/** The rows that the web-facing layer answers itself. */
export const webEndpoints = {
  ...signInEndpoints,
  ...sessionEndpoints,
  ...joined(modules, 'webEndpoints'),
} as const

/** Every endpoint, once. */
export const endpoints = { ...apiEndpoints, ...webEndpoints } as const

export type EndpointName = keyof typeof endpoints
/** Endpoints of optional modules. */
export type ModuleEndpointName = keyof typeof moduleEndpoints
export type ApiEndpointName = keyof typeof apiEndpoints
export type WebEndpointName = keyof typeof webEndpoints
