import type { ModuleEndpointName } from '@keyferry/contract'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import type { Caller } from '../domain/people/membership.ts'
import type { BundleReach } from '../domain/people/reach.ts'
import type { Stores } from '../domain/stores.ts'
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
import { requestHandlers } from './requests.ts'
import { serviceHandlers } from './service.ts'
import { tenantHandlers } from './tenants.ts'
import { userHandlers } from './users.ts'

/** What limited members get: handlers and stores that know only what is within their reach. */
export type Limited = (caller: Caller) => { handlers: Handlers; stores: Stores }

const KEPT = 100

type LimitedMember = Pick<Caller, 'tenantId' | 'userId'> & { reach: NonNullable<BundleReach> }

/** @param storesWithin makes stores for a reach */
export function limitedHandlers(
  ofModules: ModuleHandlers,
  parts: HandlerParts,
  storesWithin: (caller: LimitedMember) => Stores,
): Limited {
  const known = new BoundedMap<string, ReturnType<Limited>>(KEPT)
  return ({ tenantId, userId, reach }) => {
    if (reach === null) throw new Error('a caller who is not limited')
    const key = JSON.stringify([tenantId, userId, reach])
    const found = known.get(key)
    if (found) return found
    const stores = storesWithin({ tenantId, userId, reach })
    const requestParts = { ...parts.requestParts, stores }
    const made = { handlers: createHandlers(ofModules, { ...parts, stores, requestParts }), stores }
    known.set(key, made)
    return made
  }
}

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
    ...userHandlers(parts),
    ...approvalKeyHandlers(parts),
    ...tenantHandlers(parts),
    ...auditHandlers(parts),
    ...ofModules,
  }
}
