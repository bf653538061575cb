import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import {
  changeOf,
  Flag,
  Id,
  listOf,
  object,
  optionalText,
  Page,
  requiredText,
  storable,
  Timestamp,
} from '../schemas/text.ts'
import { WEBHOOK_EVENTS, WEBHOOK_MESSAGE_TYPES } from './events.ts'
import { WEBHOOK_LIMITS } from './limits.ts'

const Events = z
  .array(z.enum(WEBHOOK_EVENTS, { error: 'events must be types of events' }), {
    error: 'events must be a list',
  })
  .max(WEBHOOK_EVENTS.length, `events must be at most ${WEBHOOK_EVENTS.length}`)

const BundleIds = z
  .array(storable(z.string({ error: 'bundle_ids must be ids' }), 'bundle_ids'), {
    error: 'bundle_ids must be a list',
  })
  .max(WEBHOOK_LIMITS.bundles, `bundle_ids must be at most ${WEBHOOK_LIMITS.bundles}`)

const fields = {
  url: requiredText('url', WEBHOOK_LIMITS.urlLength, 'url required'),
  description: optionalText('description', LIMITS.descriptionLength),
  events: Events,
  bundle_ids: BundleIds,
  is_active: Flag('is_active'),
}

/** `events` and `bundle_ids`: empty for all. `bundle_ids` limits the events about bundles and keys. */
export const CreateWebhook = object(
  'CreateWebhook',
  {
    url: fields.url,
    description: fields.description.default(''),
    events: Events.default([]),
    bundle_ids: BundleIds.default([]),
    is_active: fields.is_active.default(true),
  },
  { url: 'https://hooks.example.com/keyferry', events: ['bundle.changed'] },
)

/** A new `url`, or `is_active: true`, clears the failures. */
export const UpdateWebhook = changeOf('UpdateWebhook', fields, { is_active: true })

export const ListWebhooksQuery = Page

const MESSAGE_STATES = ['waiting', 'sending', 'done', 'failed'] as const

export const ListWebhookMessagesQuery = Page.extend({
  state: z.enum(MESSAGE_STATES, { error: `state must be one of ${MESSAGE_STATES.join(', ')}` }).optional(),
})

const shape = {
  id: Id,
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  bundle_ids: z.array(Id),
  is_active: z.boolean(),
  created_by: Id,
  created_at: Timestamp,
  old_secret_until: Timestamp.nullable(),
  failing_since: Timestamp.nullable(),
  failures: z.int(),
  next_at: Timestamp.nullable(),
  ended_reason: z.enum(['gone', 'failing']).nullable(),
  last_delivered_at: Timestamp.nullable(),
  waiting: z.int(),
}

/** `failures`: calls in a row that failed; `next_at`: when the next one follows. `ended_reason`: why the server turned
 * the webhook off: `gone`, the receiver answered 410; `failing`, calls failed for five days. `waiting`: messages to
 * send. */
export const Webhook = object('Webhook', shape)

export const WebhookList = z.array(Webhook).meta({ id: 'WebhookList' })

/** `secret` is shown here and at a rotation, and never again. */
export const CreatedWebhook = object('CreatedWebhook', { ...shape, secret: z.string() })

/** Until `old_secret_until`, messages are signed with the old secret too. */
export const RotatedSecret = object('RotatedSecret', { secret: z.string(), old_secret_until: Timestamp })

/** `message_id`: what the receiver gets as `webhook-id`. */
export const QueuedMessage = object('QueuedMessage', { message_id: Id })

/** `last_error`: a word for why the last call failed; `http` is any answer but 2xx, with its status in `last_status`.
 * `body` is the exact text that is sent. */
export const WebhookMessageList = listOf('WebhookMessage', {
  id: Id,
  type: z.enum(WEBHOOK_MESSAGE_TYPES),
  state: z.enum(MESSAGE_STATES),
  attempts: z.int(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  last_ms: z.int().nullable(),
  created_at: Timestamp,
  next_at: Timestamp.nullable(),
  done_at: Timestamp.nullable(),
  body: z.string(),
})
