import type { Webhook } from '../../lib/answers.ts'
import { useUpdateWebhook } from '../../lib/webhooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/toast-store.ts'
import { WebhookForm } from './webhook-form.tsx'

/** Changes where a webhook calls, and for what. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const update = useUpdateWebhook(webhook.id)
  const { url, description, events, bundle_ids } = webhook
  return (
    <Dialog title="Edit webhook" onClose={onClose} wide>
      <WebhookForm
        action="Save"
        stored={{ url, description, events, bundle_ids }}
        busy={update.isPending}
        error={update.error}
        onSave={(draft, saved) =>
          update.mutate(draft, {
            onSuccess: () => {
              saved()
              onClose()
              notify({ text: 'Saved the webhook.' })
            },
          })
        }
        onCancel={onClose}
      />
    </Dialog>
  )
}
