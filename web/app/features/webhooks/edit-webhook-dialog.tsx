import type { Webhook } from '../../lib/calls/answers.ts'
import { WEBHOOKS } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { WebhookForm } from './webhook-form.tsx'

/** Changes where a webhook calls, and for what. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, url, description, events, bundle_ids } = webhook
  const update = useChange('updateWebhook', { webhook_id: id }, { refreshes: WEBHOOKS })
  return (
    <WebhookForm
      title="Edit webhook"
      action="Save"
      stored={{ url, description, events, bundle_ids }}
      change={update}
      done="Saved the webhook."
      onClose={onClose}
    />
  )
}
