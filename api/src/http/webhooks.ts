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

type WebhookHandlers = Pick<
  Handlers,
  | 'createWebhook'
  | 'listWebhooks'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'listWebhookMessages'
  | 'resendWebhookMessage'
>

export function webhookHandlers({ stores, clock, targets }: HandlerParts): WebhookHandlers {
  const { webhooks, webhookLog } = stores
  const parts = { webhooks, clock, targets }
  return {
    async createWebhook({ caller, body }) {
      const { secret, ...webhook } = await createWebhook(parts, caller, body)
      return { status: 201, body: { ...present(webhook), secret } }
    },
    async listWebhooks({ caller, query: page }) {
      return pageReply(await listWebhooks(parts, caller, page), present)
    },
    async getWebhook({ caller, params }) {
      return { status: 200, body: present(await findWebhook(parts, caller, params.webhook_id)) }
    },
    async updateWebhook({ caller, params, body: change }) {
      const webhook = await updateWebhook(parts, caller, { webhookId: params.webhook_id, change })
      return { status: 200, body: present(webhook) }
    },
    async deleteWebhook({ caller, params }) {
      await deleteWebhook(parts, caller, params.webhook_id)
      return { status: 200, body: { ok: true } }
    },
    async rotateWebhookSecret({ caller, params }) {
      return { status: 200, body: await rotateWebhookSecret(parts, caller, params.webhook_id) }
    },
    async testWebhook({ caller, params }) {
      const message_id = await testWebhook({ webhookLog, clock }, caller, params.webhook_id)
      return { status: 202, body: { message_id } }
    },
    async listWebhookMessages({ caller, params, query: { state, ...page } }) {
      const asked = { webhookId: params.webhook_id, state, page }
      return pageReply(await listWebhookMessages(webhookLog, caller, asked), (message) => message)
    },
    async resendWebhookMessage({ caller, params: { webhook_id: webhookId, message_id: messageId } }) {
      await resendWebhookMessage({ webhookLog, clock }, caller, { webhookId, messageId })
      return { status: 202, body: { message_id: messageId } }
    },
  }
}

function present({ events, bundle_ids, ...webhook }: Webhook) {
  return { ...webhook, events: [...events], bundle_ids: [...bundle_ids] }
}
