import { useState } from 'react'
import { useLocation } from 'wouter'
import type { CreatedWebhook } from '../../lib/calls/answers.ts'
import { WEBHOOKS } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { NO_WEBHOOK } from './webhook-fields.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Creates a webhook, shows its secret once, and leads to its page. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useChange('createWebhook', {}, { refreshes: WEBHOOKS })
  const [, navigate] = useLocation()
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  if (created === null) {
    return (
      <WebhookForm
        title="New webhook"
        action="Create webhook"
        stored={NO_WEBHOOK}
        change={create}
        onDone={setCreated}
        onClose={onClose}
      />
    )
  }
  const leave = () => navigate(`/settings/webhooks/${created.id}`)
  return (
    <Dialog title="Webhook created" onClose={leave} wide>
      <ShownSecret secret={created.secret} onClose={leave} />
    </Dialog>
  )
}
