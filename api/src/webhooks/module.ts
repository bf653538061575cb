import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks'
import { wholePage } from '../domain/base/listing.ts'
import type { Handlers } from '../http/handler.ts'
import { pageReply } from '../http/list-reply.ts'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { OutboxSender } from '../outgoing/outbox-sender.ts'
import { countOf } from '../storage/base/tenant-rows.ts'
import { TenantKeys } from '../storage/keys-at-rest/tenant-keys.ts'
import { sweepEvery } from '../sweeping.ts'
import { hasRoom } from './domain/webhook-outbox.ts'
import { callReceiver } from './sending/webhook-call.ts'
import { fanOut } from './storage/webhook-fan-out.ts'
import { listWebhookMessages, resendWebhookMessage, testWebhook } from './storage/webhook-log.ts'
import { createWebhookOutbox } from './storage/webhook-outbox.ts'
import { findWebhook, listWebhooks } from './storage/webhook-reading.ts'
import { webhookSecrets } from './storage/webhook-secrets.ts'
import { sweepMessages } from './storage/webhook-sweeping.ts'
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './storage/webhooks.ts'

const FIRST_MESSAGES = 50
const SWEEP_MESSAGES_SECONDS = 600

export function handlers({ queries, ring, clock, guard: targets }: ModuleParts) {
  const secrets = webhookSecrets(new TenantKeys(queries, ring))
  const parts = { queries, secrets, clock, targets }
  return {
    createWebhook: ({ caller, body }) => createWebhook(parts, caller, body),
    listWebhooks: async ({ caller, query: page }) =>
      pageReply(
        await listWebhooks(parts, caller, wholePage(page, WEBHOOK_LIMITS.webhooks)),
        (webhook) => webhook,
      ),
    getWebhook: ({ caller, params }) => findWebhook(parts, caller, params.webhook_id),
    updateWebhook: ({ caller, params: { webhook_id: webhookId }, body: change }) =>
      updateWebhook(parts, caller, { webhookId, change }),
    deleteWebhook: ({ caller, params }) => deleteWebhook(parts, caller, params.webhook_id),
    rotateWebhookSecret: ({ caller, params }) => rotateWebhookSecret(parts, caller, params.webhook_id),
    testWebhook: async ({ caller, params }) => ({
      message_id: await testWebhook(parts, caller, params.webhook_id),
    }),
    async listWebhookMessages({ caller, params, query: { state, ...page } }) {
      const wanted = { webhookId: params.webhook_id, state, page: wholePage(page, FIRST_MESSAGES) }
      return pageReply(await listWebhookMessages(parts, caller, wanted), (message) => message)
    },
    async resendWebhookMessage({ caller, params: { webhook_id: webhookId, message_id: messageId } }) {
      await resendWebhookMessage(parts, caller, { webhookId, messageId })
      return { message_id: messageId }
    },
  } satisfies Partial<Handlers>
}

/** Send the messages, until `opened` ends. */
export const start: ApiModule['start'] = (opened, { queries, ring, guard, steps, clock, log, settings }) => {
  const outbox = createWebhookOutbox(queries, webhookSecrets(new TenantKeys(queries, ring)))
  const callParts = { guard, now: clock.now, userAgent: `keyferry/${settings.version}` }
  const sender = new OutboxSender({
    name: 'webhooks',
    outbox,
    hasRoom,
    call: (message, signal) => callReceiver(callParts, { message, signal }),
    leaseMs: 30_000,
    watched: (work) => steps.watched('webhooks', work),
    clock,
    log,
  })
  opened.adopt(sender, (it) => it.close())
  const sweep = () => sweepMessages(queries, clock.now().toISOString())
  sweepEvery(opened, SWEEP_MESSAGES_SECONDS, { name: 'webhook sweep', sweep, steps, log })
}

/** Make the messages of appended entries. */
export const afterAppend: NonNullable<ApiModule['afterAppend']> = ({ database, settings: { publicUrl } }) => {
  const parts = { ...database, publicUrl }
  return (transaction, batches) => fanOut(parts, transaction, batches)
}

export const gauges: NonNullable<ApiModule['gauges']> = ({ query }) => ({
  keyferry_webhook_messages: {
    help: 'Messages to webhooks that are not delivered yet, of all nodes',
    read: () => countOf(query.selectFrom('webhook_messages').where('state', 'in', ['waiting', 'sending'])),
  },
})
