import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from '../domain/webhooks/webhook.ts'
import { listWebhookMessages, resendWebhookMessage, testWebhook } from '../domain/webhooks/webhook-log.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { pageReply } from './list-reply.ts'

export function webhookHandlers({ stores, clock, targets }: HandlerParts) {
  const { webhooks, webhookLog } = stores
  const parts = { webhooks, clock, targets }
  return {
    async createWebhook({ caller, body }) {
      const { secret, ...webhook } = await createWebhook(parts, caller, body)
      return { ...present(webhook), secret }
    },
    listWebhooks: async ({ caller, query: page }) =>
      pageReply(await listWebhooks(parts, caller, page), present),
    getWebhook: async ({ caller, params }) => present(await findWebhook(parts, caller, params.webhook_id)),
    updateWebhook: async ({ caller, params: { webhook_id: webhookId }, body: change }) =>
      present(await updateWebhook(parts, caller, { webhookId, change })),
    deleteWebhook: ({ caller, params }) => deleteWebhook(parts, caller, params.webhook_id),
    rotateWebhookSecret: ({ caller, params }) => rotateWebhookSecret(parts, caller, params.webhook_id),
    testWebhook: async ({ caller, params }) => ({
      message_id: await testWebhook({ webhookLog, clock }, caller, params.webhook_id),
    }),
    async listWebhookMessages({ caller, params, query: { state, ...page } }) {
      const asked = { webhookId: params.webhook_id, state, page }
      return pageReply(await listWebhookMessages(webhookLog, caller, asked), (message) => message)
    },
    async resendWebhookMessage({ caller, params: { webhook_id: webhookId, message_id: messageId } }) {
      await resendWebhookMessage({ webhookLog, clock }, caller, { webhookId, messageId })
      return { message_id: messageId }
    },
  } satisfies Partial<Handlers>
}

function present({ events, bundle_ids, ...webhook }: Webhook) {
  return { ...webhook, events: [...events], bundle_ids: [...bundle_ids] }
}
