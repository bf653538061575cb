export { webhookEndpoints as endpoints } from './endpoints.ts'
export * from './events.ts'
export * from './limits.ts'
export * from './schemas.ts'

export const auditActions = {
  'webhook.created': 'actor',
  'webhook.changed': 'actor',
  'webhook.deleted': 'actor',
  'webhook.secret_rotated': 'actor',
  'webhook.disabled': 'actor',
} as const

export const tags = { webhooks: 'Calls to other servers when something changes' }

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfaDpdiEKw='

export const samples = { 'CreatedWebhook.secret': SECRET, 'RotatedSecret.secret': SECRET }

export const webEndpoints = {}
