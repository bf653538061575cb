import type { Part, Told } from './told.ts'

/** What follows the actor's name for the events of webhooks. `gone`: the receiver's host. */
export const webhookWords = {
  'webhook.created': ({ gone }) => ['created a webhook to ', gone],
  'webhook.changed': ({ gone, names, is }) => [
    'changed the webhook to ',
    gone,
    names('changed').includes('is_active') ? (is('is_active') ? ', which is on' : ', which is off') : '',
  ],
  'webhook.deleted': ({ gone }) => ['deleted the webhook to ', gone],
  'webhook.secret_rotated': ({ gone }) => ['replaced the secret of the webhook to ', gone],
  'webhook.disabled': ({ gone, text }) => [
    'turned off the webhook to ',
    gone,
    text('reason') === 'gone' ? ': the receiver answered 410' : ': calls failed for five days',
  ],
} as const satisfies Record<string, (told: Told) => readonly Part[]>
