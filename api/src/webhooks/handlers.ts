import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks'
import { wholePage } from '../domain/base/listing.ts'
import type { Handlers } from '../http/handler.ts'
import { pageReply } from '../http/list-reply.ts'
import { listWebhookMessages, resendWebhookMessage, testWebhook } from './storage/webhook-log.ts'
import { findWebhook, listWebhooks, type WebhookParts } from './storage/webhook-reading.ts'
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './storage/webhooks.ts'

const FIRST_MESSAGES = 50

export function webhookHandlers(parts: WebhookParts) {
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
