import * as modules from '../modules.ts'
import { type Called, pathOf } from './call.ts'

const KEY: readonly Called[] = ['getKey', 'listKeyVersions', 'listHolders']

export const BUNDLE: readonly Called[] = ['getBundle', 'listSharedKeys', 'findKeyUses']

/** The answers in which a change of a key or a bundle can show. */
export const LIBRARY: readonly Called[] = [
  ...KEY,
  ...BUNDLE,
  'listKeys',
  'listBundles',
  'compareBundles',
  'listStaleKeys',
  'listAudit',
  'listOwnAudit',
  'countAuditDays',
  'getAuditNote',
  'getDelivery',
]

type Refreshing = { refreshes: readonly (readonly [RegExp, readonly Called[]])[] }

// The first that the path matches counts.
const BY_PATH: Refreshing['refreshes'] = [
  [/\/policy$/, ['getTenantPolicy', 'getBundlePolicy', 'getBundle', 'listBundles']],
  ...Object.values<Refreshing>(modules).flatMap(({ refreshes }) => refreshes),
  [/\/proposals\//, ['listWaiting', 'listProposals', ...LIBRARY]],
  [/\/(bundles|keys|imports|library-moves)(\/|$)/, LIBRARY],
  [/\/grants$/, ['listGrants']],
  [/\/tenants\//, ['listTenants', 'getMe']],
  [/\/invitations(\/|$)/, ['listInvitations', 'listTenants']],
  [/\/groups(\/|$)/, ['listGroups', 'getTenantPolicy']],
  [/\/approval-keys/, ['listApprovalKeys', 'listLastingActs']],
  [/\/auth\/sessions/, ['listSessions']],
]

/** The answers in which a change can show: those about what its path names. */
export const refreshedBy = (change: Called): readonly Called[] => refreshedAt(pathOf(change))

export function refreshedAt(path: string): readonly Called[] {
  return BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? []
}
