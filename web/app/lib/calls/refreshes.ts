import type { Called } from './call.ts'

// The answers in which a change of something can show.

export const MACHINES: readonly Called[] = ['listMachines', 'getMachine', 'listMachineAttempts']

export const WEBHOOKS: readonly Called[] = ['listWebhooks', 'getWebhook', 'listWebhookMessages']

export const KEY: readonly Called[] = ['getKey', 'listKeyVersions', 'listHolders']

export const BUNDLE: readonly Called[] = ['getBundle', 'listSharedKeys', 'findKeyUses', 'exportBundle']

export const LIBRARY: readonly Called[] = [
  ...KEY,
  ...BUNDLE,
  'listKeys',
  'listBundles',
  'compareBundles',
  'listStaleKeys',
  'listAudit',
  'getAuditNote',
  'getDelivery',
]
