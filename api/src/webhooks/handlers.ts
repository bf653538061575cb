import { WEBHOOK_LIMITS } from '@keyferry/contract/webhooks'
import { timestamp } from '../domain/base/clock-and-ids.ts'
import { wholePage } from '../domain/base/listing.ts'
import { stampOf } from '../domain/base/stamp.ts'
import type { Handlers } from '../http/handler.ts'
import { pageReply } from '../http/list-reply.ts'
import { createWebhook, rotateWebhookSecret, updateWebhook, type WebhookParts } from './domain/webhook.ts'
import { resendWebhookMessage, testWebhook, type WebhookLogParts } from './domain/webhook-log.ts'

const FIRST_MESSAGES = 50

export function webhookHandlers({ webhooks, webhookLog, clock, targets }: WebhookParts & WebhookLogParts) {
  const parts = { webhooks, clock, targets }
  return {
    createWebhook: ({ caller, body }) => createWebhook(parts, caller, body),
    listWebhooks: async ({ caller, query: page }) =>
      pageReply(
        await webhooks.list(caller.tenantId, wholePage(page, WEBHOOK_LIMITS.webhooks), timestamp(clock)),
        (webhook) => webhook,
      ),
    getWebhook: ({ caller, params }) => webhooks.find(caller.tenantId, params.webhook_id, timestamp(clock)),
    updateWebhook: ({ caller, params: { webhook_id: webhookId }, body: change }) =>
      updateWebhook(parts, caller, { webhookId, change }),
    deleteWebhook: ({ caller, params }) => webhooks.delete(params.webhook_id, stampOf(caller, clock)),
    rotateWebhookSecret: ({ caller, params }) => rotateWebhookSecret(parts, caller, params.webhook_id),
    testWebhook: async ({ caller, params }) => ({
      message_id: await testWebhook({ webhookLog, clock }, caller, params.webhook_id),
    }),
    async listWebhookMessages({ caller, params, query: { state, ...page } }) {
      const wanted = { webhookId: params.webhook_id, state, page: wholePage(page, FIRST_MESSAGES) }
      return pageReply(await webhookLog.list(caller.tenantId, wanted), (message) => message)
    },
    async resendWebhookMessage({ caller, params: { webhook_id: webhookId, message_id: messageId } }) {
      await resendWebhookMessage({ webhookLog, clock }, caller, { webhookId, messageId })
      return { message_id: messageId }
    },
  } satisfies Partial<Handlers>
}
