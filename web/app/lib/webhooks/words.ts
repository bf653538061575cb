import { spanText } from '@keyferry/contract/limits'
import { WEBHOOK_TIMES } from '@keyferry/contract/webhooks/limits'
import type { ActionWords } from '../activity/event-facts.ts'
import { say } from '../activity/say.ts'

// `gone`: the host of the receiver.
export const auditWords = {
  'webhook.created': ({ gone }) => say`created a webhook to ${gone}`,
  'webhook.changed': ({ gone, names, is }) => {
    const state = names('changed').includes('is_active') ? `, which is ${is('is_active') ? 'on' : 'off'}` : ''
    return say`changed the webhook to ${gone}${state}`
  },
  'webhook.deleted': ({ gone }) => say`deleted the webhook to ${gone}`,
  'webhook.secret_rotated': ({ gone }) => say`replaced the secret of the webhook to ${gone}`,
  'webhook.disabled': ({ gone, text }) => {
    const why =
      text('reason') === 'gone'
        ? 'the receiver answered 410'
        : `calls failed for ${spanText(WEBHOOK_TIMES.triedSeconds)}`
    return say`turned off the webhook to ${gone}: ${why}`
  },
} as const satisfies Readonly<Record<string, ActionWords>>

export const actWords = {}
