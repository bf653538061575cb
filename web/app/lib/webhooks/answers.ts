import type { Answer } from '@keyferry/contract/client'
import type { Endpoints } from '../calls/answers.ts'
import { useAnswer } from '../calls/use-call.ts'
import { ALL } from '../data/lists.ts'

export type Webhook = Answer<Endpoints['getWebhook']>
export type WebhookEvent = Webhook['events'][number]
export type WebhookMessage = Answer<Endpoints['listWebhookMessages']>[number]
export type WebhookMessageState = WebhookMessage['state']
export type CreatedWebhook = Answer<Endpoints['createWebhook']>

/** The webhooks of the workspace, the oldest first; for owners. */
export const useWebhooks = () => useAnswer('listWebhooks', ALL)
