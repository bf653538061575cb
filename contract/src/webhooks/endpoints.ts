import { DELETE, GET, POST, PUT } from '../endpoint.ts'
import { spanText } from '../limits.ts'
import { WEBHOOK_TIMES } from './limits.ts'
import * as webhook from './schemas.ts'

/** Calls to other servers when something changes. */
export const webhookEndpoints = {
  createWebhook: POST('/api/v1/webhooks', 'owner', {
    touch: 'names_only',
    summary: 'Create a webhook; its secret is shown once',
    body: webhook.CreateWebhook,
    created: webhook.CreatedWebhook,
    errors: [409],
  }),
  listWebhooks: GET('/api/v1/webhooks', 'owner', {
    summary: 'List webhooks, the oldest first; total in X-Total-Count',
    query: webhook.ListWebhooksQuery,
    answer: webhook.WebhookList,
  }),
  getWebhook: GET('/api/v1/webhooks/{webhook_id}', 'owner', {
    summary: 'A webhook and how its calls do',
    answer: webhook.Webhook,
  }),
  updateWebhook: PUT('/api/v1/webhooks/{webhook_id}', 'owner', {
    touch: 'names_only',
    summary: 'Change a webhook, or turn it on or off',
    body: webhook.UpdateWebhook,
    answer: webhook.Webhook,
    errors: [409],
  }),
  deleteWebhook: DELETE('/api/v1/webhooks/{webhook_id}', 'owner', {
    touch: 'names_only',
    summary: 'Delete a webhook with its messages',
  }),
  rotateWebhookSecret: POST('/api/v1/webhooks/{webhook_id}/secret', 'owner', {
    touch: 'names_only',
    summary: `Create a new secret; the old one signs too for ${spanText(WEBHOOK_TIMES.overlapSeconds)}`,
    answer: webhook.RotatedSecret,
  }),
  testWebhook: POST('/api/v1/webhooks/{webhook_id}/test', 'owner', {
    touch: 'names_only',
    summary: 'Send a test message now',
    responses: { 202: webhook.QueuedMessage },
    errors: [409],
  }),
  listWebhookMessages: GET('/api/v1/webhooks/{webhook_id}/messages', 'owner', {
    summary: `Messages of the last ${spanText(WEBHOOK_TIMES.logSeconds)}, the latest first; total in X-Total-Count`,
    query: webhook.ListWebhookMessagesQuery,
    answer: webhook.WebhookMessageList,
  }),
  resendWebhookMessage: POST('/api/v1/webhooks/{webhook_id}/messages/{message_id}/resend', 'owner', {
    touch: 'names_only',
    summary: 'Send a message again, with the same id',
    responses: { 202: webhook.QueuedMessage },
    errors: [409],
  }),
}
