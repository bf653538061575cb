/** What a webhook can be told of, and `webhook.test`, which a test call sends. A type is never renamed; new ones may
 * be added. */
export const WEBHOOK_EVENTS = [
  'bundle.created',
  'bundle.changed',
  'bundle.deleted',
  'key.changed',
  'key.deleted',
  'machine.refused',
  'token.expiring',
  'token.ended',
  'member.joined',
  'member.removed',
  'approval.requested',
  'delivery.approved',
  'delivery.denied',
  'proposal.created',
  'audit.checkpoint',
  'webhook.disabled',
] as const

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

export const WEBHOOK_MESSAGE_TYPES = [...WEBHOOK_EVENTS, 'webhook.test'] as const

export type WebhookMessageType = (typeof WEBHOOK_MESSAGE_TYPES)[number]
