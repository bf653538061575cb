import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewWebhook, Webhook, WebhookChange, WebhookMessage, WebhookMessageState } from './answers.ts'
import { call } from './api.ts'

const WEBHOOKS = ['webhooks']
const REFETCH_MS = 5_000
/** While a call is on its way. */
const SENDING_MS = 1_000

/** Messages of one page of the log. */
export const MESSAGES = 50

const webhookKey = (id: string) => ['webhook', id]

/** The webhooks of the workspace, the oldest first; for owners. */
export function useWebhooks(enabled = true) {
  return useQuery({
    queryKey: WEBHOOKS,
    queryFn: () => call('GET', '/api/v1/webhooks', { query: { limit: 1_000 } }),
    enabled,
  })
}

/** One webhook, as its calls do now. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: webhookKey(id),
    queryFn: () => call('GET', '/api/v1/webhooks/{webhook_id}', { params: { webhook_id: id } }),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.waiting > 0 && data.failing_since === null ? SENDING_MS : REFETCH_MS,
  })
}

/** The latest messages of a webhook, in a state or in all. */
export function useWebhookMessages(id: string, state: WebhookMessageState | null) {
  return useQuery({
    queryKey: [...webhookKey(id), 'messages', state],
    queryFn: () =>
      call('GET', '/api/v1/webhooks/{webhook_id}/messages', {
        params: { webhook_id: id },
        query: { limit: MESSAGES, ...(state === null ? {} : { state }) },
      }),
    refetchInterval: ({ state: { data } }) => (data?.some(isOnItsWay) === true ? SENDING_MS : REFETCH_MS),
  })
}

function isOnItsWay({ state, attempts }: WebhookMessage): boolean {
  return state === 'sending' || (state === 'waiting' && attempts === 0)
}

export function useCreateWebhook() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewWebhook) => call('POST', '/api/v1/webhooks', { body }),
    // The secret in the answer must not stay in memory with it.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  })
}

export function useUpdateWebhook(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: WebhookChange) =>
      call('PUT', '/api/v1/webhooks/{webhook_id}', { params: { webhook_id: id }, body }),
    onSuccess: async (webhook) => {
      client.setQueryData(webhookKey(id), webhook)
      await refreshWebhook(client, id)
    },
  })
}

export function useDeleteWebhook(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE', '/api/v1/webhooks/{webhook_id}', { params: { webhook_id: id } }),
    onSuccess: async () => {
      client.setQueryData<Webhook[]>(WEBHOOKS, (webhooks) => webhooks?.filter((each) => each.id !== id))
      await client.invalidateQueries({ queryKey: WEBHOOKS })
    },
  })
}

export function useRotateSecret(id: string) {
  return useWebhookCall(id, () =>
    call('POST', '/api/v1/webhooks/{webhook_id}/secret', { params: { webhook_id: id } }),
  )
}

export function useTestWebhook(id: string) {
  return useWebhookCall(id, () =>
    call('POST', '/api/v1/webhooks/{webhook_id}/test', { params: { webhook_id: id } }),
  )
}

export function useResendMessage(id: string) {
  return useWebhookCall(id, (messageId: string) =>
    call('POST', '/api/v1/webhooks/{webhook_id}/messages/{message_id}/resend', {
      params: { webhook_id: id, message_id: messageId },
    }),
  )
}

function useWebhookCall<Variables, Data>(id: string, change: (variables: Variables) => Promise<Data>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, gcTime: 0, onSuccess: () => refreshWebhook(client, id) })
}

async function refreshWebhook(client: QueryClient, id: string): Promise<void> {
  await client.invalidateQueries({ queryKey: webhookKey(id) })
  await client.invalidateQueries({ queryKey: WEBHOOKS })
}
