import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { WEBHOOK_EVENTS, WEBHOOK_MESSAGE_TYPES } from '../webhook-events.ts'
import { Flag, Id, optionalText, Page, requiredText, storable, Timestamp } from './text.ts'

const Events = z
  .array(z.enum(WEBHOOK_EVENTS, { error: 'events must be types of events' }), {
    error: 'events must be a list',
  })
  .max(WEBHOOK_EVENTS.length, `events must be at most ${WEBHOOK_EVENTS.length}`)

const BundleIds = z
  .array(storable(z.string({ error: 'bundle_ids must be ids' }), 'bundle_ids'), {
    error: 'bundle_ids must be a list',
  })
  .max(LIMITS.webhookBundles, `bundle_ids must be at most ${LIMITS.webhookBundles}`)

const Url = requiredText('url', LIMITS.webhookUrlLength, 'url required')
const Description = optionalText('description', LIMITS.descriptionLength)

/** `events` and `bundle_ids`: empty for all. `bundle_ids` limits the events about bundles and keys. */
export const CreateWebhook = z
  .object({
    url: Url,
    description: Description.default(''),
    events: Events.default([]),
    bundle_ids: BundleIds.default([]),
    is_active: Flag('is_active').default(true),
  })
  .meta({
    id: 'CreateWebhook',
    examples: [{ url: 'https://hooks.example.com/keyferry', events: ['bundle.changed'] }],
  })

/** What is absent stays. A new `url`, or `is_active: true`, clears the failures. */
export const UpdateWebhook = z
  .object({
    url: Url.optional(),
    description: Description.optional(),
    events: Events.optional(),
    bundle_ids: BundleIds.optional(),
    is_active: Flag('is_active').optional(),
  })
  .meta({ id: 'UpdateWebhook', examples: [{ is_active: true }] })

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

const EXAMPLE = {
  id: '4d3f8d5e-9a0b-4c55-8d1c-0c7a4e6f2b11',
  url: 'https://hooks.example.com/keyferry',
  description: '',
  events: ['bundle.changed' as const],
  bundle_ids: [],
  is_active: true,
  created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  created_at: '2026-01-31T12:00:00.000Z',
  old_secret_until: null,
  failing_since: null,
  failures: 0,
  next_at: null,
  ended_reason: null,
  last_delivered_at: '2026-02-01T03:00:00.000Z',
  waiting: 0,
}

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfaDpdiEKw='

/** `failures`: calls in a row that failed; `next_at`: when the next one follows. `ended_reason`: why the server turned
 * the webhook off: `gone`, the receiver answered 410; `failing`, calls failed for five days. `waiting`: messages to
 * send. */
export const Webhook = z.object(shape).meta({ id: 'Webhook', examples: [EXAMPLE] })

export const WebhookList = z.array(Webhook).meta({ id: 'WebhookList', examples: [[EXAMPLE]] })

/** `secret` is shown here and at a rotation, and never again. */
export const CreatedWebhook = z
  .object({ ...shape, secret: z.string() })
  .meta({ id: 'CreatedWebhook', examples: [{ ...EXAMPLE, secret: SECRET }] })

/** Until `old_secret_until`, messages are signed with the old secret too. */
export const RotatedSecret = z.object({ secret: z.string(), old_secret_until: Timestamp }).meta({
  id: 'RotatedSecret',
  examples: [{ secret: SECRET, old_secret_until: '2026-02-01T12:00:00.000Z' }],
})

/** `message_id`: what the receiver gets as `webhook-id`. */
export const QueuedMessage = z
  .object({ message_id: Id })
  .meta({ id: 'QueuedMessage', examples: [{ message_id: 'b9a1f3c2-6d5e-4f70-8a91-2c3d4e5f6071' }] })

/** `last_error`: a word for why the last call failed; `http` is any answer but 2xx, with its status in `last_status`.
 * `body` is the exact text that is sent. */
export const WebhookMessageList = z
  .array(
    z
      .object({
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
      .meta({ id: 'WebhookMessage' }),
  )
  .meta({
    id: 'WebhookMessageList',
    examples: [
      [
        {
          id: 'b9a1f3c2-6d5e-4f70-8a91-2c3d4e5f6071',
          type: 'bundle.changed',
          state: 'done',
          attempts: 1,
          last_status: 204,
          last_error: null,
          last_ms: 18,
          created_at: '2026-01-31T12:00:00.000Z',
          next_at: null,
          done_at: '2026-01-31T12:00:05.100Z',
          body: '{"type":"bundle.changed","timestamp":"2026-01-31T12:00:00.000Z","data":{"seq":12}}',
        },
      ],
    ],
  })
