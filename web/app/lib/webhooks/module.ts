import type { Called } from '../calls/call.ts'

export const refreshes: readonly (readonly [RegExp, readonly Called[]])[] = [
  [/\/webhooks(\/|$)/, ['listWebhooks', 'getWebhook', 'listWebhookMessages']],
]

export const places = [{ href: '/settings/workspace', name: 'Webhooks', needs: 'listWebhooks' }] as const
