import { useState } from 'react'
import { useLocation } from 'wouter'
import type { CreatedWebhook } from '../../lib/answers.ts'
import { useCreateWebhook } from '../../lib/webhooks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { NO_WEBHOOK } from './webhook-fields.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Creates a webhook, shows its secret once, and leads to its page. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook()
  const [, navigate] = useLocation()
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  const leave = () => (created === null ? onClose() : navigate(`/settings/webhooks/${created.id}`))
  return (
    <Dialog title={created === null ? 'New webhook' : 'Webhook created'} onClose={leave} wide>
      {created === null ? (
        <WebhookForm
          action="Create webhook"
          stored={NO_WEBHOOK}
          busy={create.isPending}
          error={create.error}
          onSave={(draft, saved) =>
            create.mutate(draft, {
              onSuccess: (webhook) => {
                saved()
                setCreated(webhook)
              },
            })
          }
          onCancel={onClose}
        />
      ) : (
        <ShownSecret secret={created.secret} onClose={leave} />
      )}
    </Dialog>
  )
}
